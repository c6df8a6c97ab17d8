"""From a decision to a report: what MISSION E asks for, and only numbers that the decision has."""

import json
import re
import string

import pytest
from render import decisions
from render.pages import NAMES, decision

from fiche.kernel.choice import Choice
from fiche.kernel.diagnostic import Refused
from fiche.kernel.finding import Verdict
from fiche.kernel.ledger import ledger
from fiche.kernel.record import field_names, replace
from fiche.kernel.unit import BYTE
from fiche.languages import spoken as language
from fiche.render.json import decision_bytes
from fiche.report.parts import (
    Amount,
    Box,
    Callout,
    Items,
    Missing,
    Quoted,
    Reference,
    State,
    Table,
)
from fiche.report.view import brief, view


def inside(value, kind):
    """Every part of a kind in a report, in reading order."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from inside(part, kind)
    else:
        for name in field_names(value):
            yield from inside(getattr(value, name), kind)


def words(value):
    """What a reader reads of a part, a cell or a table."""
    if isinstance(value, str):
        return ""
    if isinstance(value, tuple):
        return "".join(map(words, value))
    if isinstance(value, Amount):
        return f"{value.text} {value.mark_word}".strip()
    if isinstance(value, State):
        return f"{value.glyph} {value.word}"
    if isinstance(value, Reference):
        return value.piece
    if hasattr(value, "text"):
        return value.text
    if hasattr(value, "lines"):
        return "\n".join(map(words, value.lines))
    return "".join(words(getattr(value, name)) for name in field_names(value))


def table(report, name):
    (found,) = [t for t in inside(report, Table) if t.id == name]
    return found


def rows(report, name):
    return [
        [words(c).replace("\u00a0", " ") for c in row.cells] for row in table(report, name).rows
    ]


@pytest.fixture(scope="module")
def rich():
    return view(decision("rich"))


# --- Page one ------------------------------------------------------------------------------------


def test_the_question_is_answered_first_for_each_candidate_and_device(rich):
    """D0: an answer a candidate, its worst case, with need, capacity and the piece."""
    (box,) = inside(rich.opening, Box)
    assert box.question.startswith("Does this complete load fit on each device used")
    answers = [(a.state.word, words(a.subject)) for a in box.answers]
    assert [word for word, _ in answers] == [
        "Fits",
        "Not established",
        "Not established",
        "Does not fit",
    ]
    assert "cuda:0" in answers[0][1]
    first = words(box.answers[0].sentences).replace("\u00a0", " ")
    assert "Needs 20.93 GiB OBS" in first
    assert "has 47.38 GiB OBS" in first
    assert "in case limit" in first
    assert "run-6000ada" in first


def test_page_one_says_what_the_named_case_holds(rich):
    """E1: lengths and concurrency stand beside the identity of the load."""
    lead = words(rich.opening[1]).replace("\u00a0", " ")
    assert "Case limit: 7 900 prompt tokens, 292 new tokens, 4 resident sequences" in lead


def test_the_stated_margin_stands_beside_the_useful_one(rich):
    """D5: on page one, in the table of candidates and in that of criteria."""
    (box,) = inside(rich.opening, Box)
    first = words(box.answers[0].sentences).replace("\u00a0", " ")
    assert "useful margin 26.45 GiB CALC (1.00 GiB STATED of it to keep)" in first
    kept = "26.45 GiB CALC\nkeep 1.00 GiB STATED"
    assert rows(rich, "candidates")[1][3] == kept
    assert rows(rich, "criteria")[1][3] == kept


def test_a_need_that_nothing_tells_shows_what_arithmetic_has_so_far():
    """D9: 19.04 GiB is an assumption's sum, so it is no need; page one still says it."""
    made = decision("rich")
    limit = next(f for f in made.outcomes[0].findings if f.case == "limit")
    found = replace(limit, need=None, verdict=Verdict.TO_CONFIRM)
    outcome = replace(made.outcomes[0], findings=(found,))
    told = view(replace(made, outcomes=(outcome,), findings=(found,)))
    (box,) = inside(told.opening, Box)
    text = words(box.answers[0].sentences).replace("\u00a0", " ")
    assert "Needs not known (arithmetic so far: 19.46 GiB CALC" in text


def test_a_proven_failure_says_what_it_asked_for_and_what_was_free(rich):
    """C11: a need beside a capacity that is larger would not tell why it does not fit."""
    (box,) = inside(rich.opening, Box)
    last = words(box.answers[-1].sentences).replace("\u00a0", " ")
    assert "it asked for 2.00 GiB OBS with 0.50 GiB OBS free" in last
    assert "Needs" not in last
    assert "Rests on oom-3090" in last


def test_what_a_candidate_changes_stands_beside_its_answer(rich):
    """D10: a smaller load that fits does not answer for the announced one."""
    (box,) = inside(rich.opening, Box)
    told = [words(a.subject) for a in box.answers if "fp8-cache" in words(a.subject)]
    assert "fp8-cache (rent-4090 with formats.cache: bf16 → fp8_e4m3)" in told[0]


def test_devices_that_say_the_same_share_a_line():
    (box,) = inside(view(decision("crowded")).opening, Box)
    assert len(box.answers) == 8
    assert "devices cuda:0, cuda:1" in words(box.answers[0].subject)


def test_memory_that_nobody_judged_is_not_established():
    made = decision("rich")
    outcome = replace(made.outcomes[0], findings=())
    (box,) = inside(view(replace(made, outcomes=(outcome,), findings=())).opening, Box)
    assert box.answers[0].state.code == "to_confirm"


@pytest.mark.parametrize("name", NAMES)
def test_counts_add_up_to_what_is_shown(name):
    """Unknown is counted, and no view loses a candidate or a finding."""
    made, told = decision(name), view(decision(name))
    (box,) = inside(told.opening, Box)
    for line in (box.closing[0], table(told, "criteria").notes[0]):
        total, *parts = [int(n) for n in re.findall(r"\d+", words(line))]
        assert total == sum(parts)
    (candidates,) = [t for t in inside(told, Table) if t.id == "candidates"]
    assert sum(not row.group for row in candidates.rows) == len(made.outcomes)
    (criteria,) = [t for t in inside(told, Table) if t.id == "criteria"]
    assert sum(row.group for row in criteria.rows) == len(made.outcomes)


def test_a_choice_that_is_not_retained_is_conditional_and_says_so(rich):
    """Its open conditions are acceptance conditions, on page one, by when each must be met (DESIGN 4)."""
    told = [c for c in inside(rich.opening, Callout) if c.kind == "conditional"]
    text = words(told[0]).replace("\u00a0", " ")
    assert "rent-4090 is chosen and is not retained (▲ To confirm)" in text
    before, at_delivery = text.split("At delivery")
    assert "Before the order" in before
    for part in (before, at_delivery):
        assert "D1 memory really available" in part
    (point,) = [row for row in rows(rich, "points") if row[0] == "D1 memory really available"]
    assert point[2] == "≥ 21.93 GiB free for this process"
    (exact,) = [row for row in rows(rich, "missing") if row[0] == point[0]]
    assert exact[2] == "≥ 21.93 GiB (23 548 920 955 B) free for this process"
    assert "acceptance test at delivery" in before
    assert "fiche environment" in at_delivery


def test_a_choice_that_is_excluded_has_no_condition_of_acceptance(rich):
    """What excludes it stays, whatever else is supplied."""
    made = decision("rich")
    choice = Choice(chosen=made.outcomes[-1].candidate.id, by="A. Martin", role="", because="")
    told = view(replace(made, fiche=replace(made.fiche, choice=choice)))
    (box,) = [c for c in inside(told.opening, Callout) if c.kind == "excluded"]
    text = words(box)
    assert "no acceptance condition can mend that" in text
    assert "It fails on:memory: " in text
    assert "memory really" not in text


def test_a_retained_choice_has_no_such_box():
    made = replace(decision("rich"), conditional_choice=False)
    assert not [c for c in inside(view(made).opening, Callout) if c.kind == "conditional"]


def test_a_choice_of_none_is_a_choice():
    made = decision("rich")
    choice = Choice(chosen="none", by="A. Martin", role="engineer", because="waiting")
    told = view(replace(made, fiche=replace(made.fiche, choice=choice), conditional_choice=False))
    assert "Chosen: none yet, by A. Martin (engineer), because waiting." in words(told.opening)


def test_what_is_illustrative_says_so_before_anything_else(rich):
    assert rich.opening[0].kind == "illustrative"
    assert not [
        c for c in inside(view(decision("bare")).opening, Callout) if c.kind == "illustrative"
    ]


# --- What is missing -----------------------------------------------------------------------------


def test_each_open_point_says_what_settles_it_where_it_turns_and_who_supplies_it(rich):
    told = rows(rich, "missing")
    assert [row[0] for row in told] == [
        "D1 memory really available",
        "D2 conflict between pieces",
        "D3 memory really needed",
        "D4 quality",
    ]
    assert told[0][4] == "rent-4090\nfp8-cache"
    assert told[3][2] == "≥ 0.62"
    assert "author of the fiche (result)" in told[3][3]


def test_the_published_offers_lack_exactly_these_points():
    """D9: context, concurrency, memory really available, compatibility, quality; A1: the identity."""
    told = rows(view(decision("bare")), "missing")
    assert [row[0] for row in told] == [
        "D1 identity of the model",
        "D2 context",
        "D3 concurrency",
        "D4 memory really available",
        "D5 compatibility",
        "D6 quality",
    ]
    assert told[0][4] == "every candidate"
    assert {row[4] for row in told[1:]} == {"rent-1\nrent-2"}


def test_open_points_of_excluded_candidates_are_left_out_and_said_to_be():
    """What excludes a candidate stays: no other point of it would move a verdict."""
    made = decision("rich")
    open_point = made.outcomes[1].findings[0].conditions[0]
    last = made.outcomes[-1]
    assert last.verdict is Verdict.EXCLUDE
    found = replace(last.findings[-2], level="must", conditions=(open_point,))
    outcome = replace(last, findings=(*last.findings, found))
    told = view(replace(made, outcomes=(*made.outcomes[:-1], outcome)))
    assert all(last.candidate.id not in row[4] for row in rows(told, "missing"))
    assert "those of excluded candidates are left out" in table(told, "missing").caption


def test_what_one_run_settles_is_said_once():
    """A record of the whole loop prints the total of its machine too."""
    made = decision("bare")
    (kept,) = [c for c in made.outcomes[0].conditions if c.topic == "memory_available"][:1]
    found = replace(
        made.outcomes[0].findings[0],
        conditions=(
            replace(kept, piece_kind="record"),
            replace(kept, topic="need", piece_kind="record"),
        ),
    )
    outcome = replace(made.outcomes[0], findings=(found,))
    told = view(replace(made, outcomes=(outcome,), findings=(found,)))
    assert "settle memory really available, memory really needed at once (rent-1)" in words(
        table(told, "missing").notes
    )


def test_where_nothing_is_missing_it_says_so():
    made = decision("rich")
    only = replace(made, outcomes=made.outcomes[:1], findings=made.outcomes[0].findings)
    told = view(only).sections
    (missing,) = [s for s in told if s.id == "open"]
    assert words(missing.blocks) == "Nothing is missing."
    assert "missing" not in {s.id for s in told}


# --- Candidates and criteria ---------------------------------------------------------------------


def test_candidates_are_ranked_shortlisted_or_excluded(rich):
    """D2: rank for the retained only; what excludes is named with its piece."""
    told = rows(rich, "candidates")
    heads = [row[0] for row in told if len(row) == 1]
    assert heads == [
        "● Retained — 1, ranked",
        "▲ To confirm — 2, a shortlist and not a ranking",
        "✕ Excluded — 1",
    ]
    assert told[1][1] == "1"
    assert told[1][2] == "55.71 USD DECL"
    assert told[3][1] == "–"
    assert told[6][2] == "no offer"
    assert "oom-3090" in told[6][5]
    assert "rent-4090 with formats.cache: bf16 → fp8_e4m3" in told[4][0]


def test_excluded_candidates_have_every_criterion_evaluated(rich):
    """Needed, available, margin, verdict and piece; never blank, never zero for unknown."""
    told = rows(rich, "criteria")
    start = next(n for n, row in enumerate(told) if row[0].startswith("✕ Excluded — old-3090"))
    kinds = [row[0].partition("\n")[0] for row in told[start + 1 :]]
    assert kinds == ["Memory", "Memory", "Quality", "Package cost, budget", "Power, quiet (want)"]
    cost = told[start + 4]
    assert cost[1:4] == ["not known", "60.00 USD STATED", "not known"]
    assert all(cell.strip() for row in told for cell in row)


def test_findings_that_say_the_same_share_a_row_and_keep_their_cases(rich):
    assert rows(rich, "criteria")[1][0] == "Memory\nusual, limit · cuda:0"


def test_two_sides_of_one_definition_say_which(rich):
    """B1: a peak of the process against a framework-visible total, never a label's nominal."""
    memory = rows(rich, "criteria")[1]
    assert memory[1] == "20.93 GiB OBS\ndevice use of the process"
    assert memory[2] == "47.38 GiB OBS\ntotal that PyTorch saw"


def test_a_wish_is_met_or_not_and_excludes_nothing(rich):
    """D1: admissible and exclude are words for what is mandatory."""
    wishes = [row for row in rows(rich, "criteria") if "(want)" in row[0]]
    assert wishes
    assert all(re.match("✕ Not met|● Met|▲ To confirm", row[4]) for row in wishes)


def test_a_near_limit_prints_exact_bytes_on_both_sides():
    """Law 2: two printed figures never contradict the verdict beside them."""
    made = decision("rich")
    found = made.outcomes[0].findings[0]
    have = replace(found.have, low=found.need.low - 1, high=found.need.high - 1, id="close")
    close = replace(found, have=have, margin=None, verdict=Verdict.EXCLUDE)
    assert _compared(made, close) == ("22 473 416 376 B OBS", "22 473 416 375 B OBS")


def _compared(made, close):
    outcome = replace(made.outcomes[0], findings=(close,))
    told = rows(view(replace(made, outcomes=(outcome,), findings=(close,))), "criteria")[1]
    return told[1].partition("\n")[0], told[2].partition("\n")[0]


def test_the_second_reading_is_apart_and_names_what_it_hangs_on(rich):
    (criteria,) = [s for s in rich.sections if s.id == "criteria"]
    text = words(criteria.blocks[1:]).replace("\u00a0", " ")
    assert "rent-4090, memory, limit, cuda:0: would be ● Admissible if" in text
    assert "reserve.cuda_context = 0.50 GiB, assumed by A. Martin" in text


def test_second_readings_under_the_same_guesses_are_told_once():
    made = decision("rich")
    (first, *_) = made.second_readings
    other = replace(first, finding=replace(first.finding, case="usual"))
    told = view(replace(made, second_readings=(first, other)))
    (criteria,) = [s for s in told.sections if s.id == "criteria"]
    (items,) = [block for block in criteria.blocks if isinstance(block, Items)]
    assert len(items.items) == 1
    assert "memory, limit, cuda:0; rent-4090, memory, usual, cuda:0: would be" in words(items)


# --- What stands behind -------------------------------------------------------------------------


def test_the_estimate_stands_beside_what_was_observed(rich):
    """E6: the estimate made before, both peaks, the gaps; and what it does not include, named (B8)."""
    (row,) = rows(rich, "gaps")
    assert row[0].startswith("limit, run-6000ada/whole-loop")
    assert [cell.replace(" CALC", "").replace(" OBS", "") for cell in row[1:]] == [
        "19.46 GiB",
        "19.86 GiB",
        "0.40 GiB\n432 151 920 B",
        "20.41 GiB",
        "0.95 GiB\n1 022 709 923 B",
    ]


def test_four_counters_in_four_columns_and_the_process_apart(rich):
    """E1, C3, C5: allocated and reserved, peak and current, per device; never a sum."""
    titles = [c.title for c in table(rich, "counters").columns]
    assert titles[2:] == [
        "Allocated, peak",
        "Allocated, at end",
        "Reserved, peak",
        "Reserved, at end",
        "Process, peak",
    ]
    told = rows(rich, "counters")
    assert told[0][0].startswith("run-6000ada/phased")
    assert told[3][2:] == [f"{n} GiB OBS" for n in ("19.86", "15.20", "20.41", "20.41", "20.93")]
    assert told[4][6] == "not measured"


def test_the_largest_load_that_succeeded_is_marked(rich):
    told = rows(rich, "runs")
    assert "largest load that succeeded" in told[1][1]
    assert sum("largest" in row[1] for row in told) == 1
    assert (
        "8 192 prompt tokens (declared 7 900), 292 new tokens, 4 resident sequences STATED"
        in told[1][1]
    )
    assert told[3][2].startswith("✕ failed")


def test_a_failure_is_an_observation_and_points_to_levers(rich):
    """C11, D7: what failed where, what that points to; the phase seen here is marked."""
    assert rows(rich, "failures")[0][2:] == ["device 0", "2.00 GiB OBS", "0.50 GiB OBS"]
    told = rows(rich, "levers")
    assert [row[0] for row in told] == [
        "while loading",
        "while generating\n✕ seen here",
        "in the backward pass",
        "in evaluation",
    ]
    assert "another format, under quality control" in words(table(rich, "levers").notes)


def test_equal_failures_of_one_piece_are_several_and_say_who_printed_them():
    told = decision("rich")
    piece = next(each for each in told.fiche.pieces if each.id == "oom-3090")
    (failure,) = piece.reading.failures
    two = (
        replace(failure, speaker="vllm-1"),
        replace(failure, speaker="embedder-1", rank=1, device_index=None),
    )
    changed = replace(piece, reading=replace(piece.reading, failures=two, runs=()))
    again = replace(changed, id="copy")
    pieces = (*(each for each in told.fiche.pieces if each is not piece), changed, again)
    page = view(replace(told, fiche=replace(told.fiche, pieces=pieces)))
    shown = rows(page, "failures")
    assert [row[2] for row in shown] == ["device 0, vllm-1", "rank 1, embedder-1"]
    assert all("also in copy" in row[0] for row in shown)


def test_without_a_failure_there_is_no_table_of_levers():
    assert "levers" not in [t.id for t in inside(view(decision("bare")), Table)]


def test_what_was_declared_and_what_was_executed_are_two_columns(rich):
    """A3: what was executed is what counts, and a difference is shown."""
    told = rows(rich, "cases")
    assert (
        "7 900 prompt tokens, 292 new tokens, 4 resident sequences, 16 concurrent requests STATED"
        in told[1][1]
    )
    assert "8 192 prompt tokens" in told[1][2]
    assert told[0][2].startswith("by more demanding runs: run-6000ada/whole-loop")


def test_pieces_have_version_scope_and_digest(rich):
    """D3, E4: what the file prints, what a person typed, what a document attests."""
    told = {row[0].partition("\n")[0]: row for row in rows(rich, "pieces")}
    assert told["run-6000ada"][1] == "record, version 2026-11-20"
    assert "gpu nvidia-rtx-6000-ada-48g" in told["run-6000ada"][2]
    assert "On the word of A. Martin: gpu nvidia-rtx-3090-24g" in told["oom-3090"][2]
    assert "Attests price (line 1) 47.14 USD DECL for the lot" in told["quote-17"][2]
    assert told["eval-1"][2] == "the scope is not told"
    assert told["oom-3090"][1] == "oom, no version stated"
    assert decision("rich").fiche.pieces[0].sha256.startswith(told["run-6000ada"][3].rstrip("…"))


def test_assumptions_and_margins_name_who_and_why(rich):
    told = rows(rich, "assumed")
    assert told[0][1:3] == ["0.50 GiB ASSUM", "seen on the current workstation"]
    assert told[0][3].startswith("A. Martin, read at chat.yaml:26:9")
    assert told[1][1:3] == ["1.00 GiB STATED", "prompts grew 10 % last quarter"]


def test_what_would_invalidate_the_conclusion_is_written_down(rich):
    """E3."""
    (told,) = [s for s in rich.sections if s.id == "invalidation"]
    assert "a window longer than 8192 tokens" in words(told)
    (told,) = [s for s in view(decision("bare")).sections if s.id == "invalidation"]
    assert "names nothing more that would void" in words(told)


def test_the_method_is_named_with_its_digest(rich):
    (method,) = [s for s in rich.sections if s.id == "method"]
    text = words(method)
    assert decision("rich").fiche.policy.sha256 in text
    assert "A candidate takes its worst must" in text
    assert "model.revision|model.digest" in text


def test_an_allocator_that_bounds_from_above_says_so():
    """C6: the version whose documentation says it, and the one installed."""
    made = decision("rich")
    piece = made.fiche.pieces[0]
    facts = {**piece.reading.facts, "allocator.backend": decisions.fact("cudaMallocAsync", 1)}
    odd = replace(piece, reading=replace(piece.reading, facts=facts))
    told = view(replace(made, fiche=replace(made.fiche, pieces=(odd, *made.fiche.pieces[1:]))))
    text = words(told)
    assert "upper bound of the simultaneous peak" in text
    assert "PyTorch 2.14" in text
    assert "2.11.0+cu128" in text


# --- Laws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_no_number_is_the_reports_own(name):
    """Every amount bears the id of a number that decision.json lists."""
    text = decision_bytes(decision(name)).decode()
    known = set(re.findall(r'"id":"((?:[^"\\]|\\.)*)"', text))
    amounts = list(inside(view(decision(name)), Amount))
    assert amounts
    assert {json.dumps(a.figure, ensure_ascii=False)[1:-1] for a in amounts} <= known


@pytest.mark.parametrize("name", NAMES)
def test_every_amount_of_bytes_says_its_kind_and_its_unit(name):
    """E2: the kind is a word; B1: bytes never stand without their unit."""
    listed = ledger(decision(name)).figures
    for amount in inside(view(decision(name)), Amount):
        assert amount.mark in ("computed", "observed", "declared", "assumed", "stated")
        if amount.figure not in listed or listed[amount.figure].unit == BYTE:
            assert re.search("\u00a0(GiB|MiB|KiB|B)$", amount.text)


def test_a_guess_shows_through_what_is_computed_from_it(rich):
    told = {a.figure: a for a in inside(rich, Amount)}
    assert told["limit.envelope"].includes == "incl. ASSUM"
    assert told["limit.kv_cache"].includes == ""


def test_what_is_unknown_is_a_word():
    """C2."""
    told = list(inside(view(decision("nothing_known")), Missing))
    assert "not known" in {m.text for m in told}
    amounts = {a.text for a in inside(view(decision("nothing_known")), Amount)}
    assert not {text for text in amounts if text.startswith("0.00")}


def test_the_brief_report_tells_what_the_whole_does(rich):
    """A terminal shows every candidate, point and criterion, which on paper stand in the annex."""
    short = brief(decision("rich"))
    assert short.opening == rich.opening
    annex = {s.id: s.blocks for s in rich.sections if s.place == "annex"}
    assert [s.id for s in short.sections] == ["candidates", "missing", "criteria"]
    assert all(s.blocks == annex[s.id] for s in short.sections)


def test_words_of_a_fiche_are_quoted_and_never_taken_for_our_own(rich):
    assert "Chat" not in words(tuple(s for s in rich.sections if s.id == "method"))
    assert "A. Martin" in {q.text for q in inside(rich, Quoted)}


# --- Languages ----------------------------------------------------------------------------------


def test_a_language_without_words_is_refused():
    for tag in ("xx", "_en_audit", "", "../en", "en_"):
        with pytest.raises(Refused, match="F602"):
            language(tag)
    assert language("en-GB").tag == "en"


def test_every_phrase_is_a_template_that_parses():
    for text in language("en").phrases.values():
        places = [place for _, place, _, _ in string.Formatter().parse(text)]
        assert all(place is None or place.isidentifier() for place in places)


def test_statuses_and_verdicts_have_words():
    words_of = language("en")
    assert set(words_of.verdicts) == {v.code for v in Verdict}
    assert set(words_of.statuses) == {"retained", "to_confirm", "excluded"}
    assert set(words_of.marks) == {
        *("computed", "observed", "declared", "assumed", "stated", "unknown")
    }


def test_a_report_says_what_its_pdf_is_built_to_and_claims_no_validation():
    """Validated is what a validator said, beside the file: a PDF cannot hold its own result."""
    sections = {one.id: one for one in view(decisions.rich()).sections}
    told = words(sections["recheck"])
    assert "built to PDF/A-3a and PDF/UA-1" in told
    assert "validated only where report.pdf.validation.json" in told
