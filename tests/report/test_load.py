"""What each case holds by arithmetic: bars, phases, formulas and inputs (B6, B7, B8, C4, D7)."""

from pathlib import Path

import pytest
from render.pages import decision
from report.test_view import inside, rows, table, words

from fiche.assets import template_text
from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files
from fiche.report.parts import Bar, Limit, Missing, Segment
from fiche.report.view import view

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture(scope="module")
def rich():
    return view(decision("rich"))


def bars(report):
    return {bar.id: bar for bar in inside(report, Bar) if bar.id.startswith("load-bar")}


def test_a_bar_tells_what_is_computed_assumed_and_unknown(rich):
    bar = bars(rich)["load-bar-1"]
    kinds = [segment.kind for segment in bar.segments]
    assert kinds == ["computed", "computed", "unknown", "assumed"]
    assert [segment.label for segment in bar.segments][2] == "working memory, open"
    assert isinstance(bar.segments[2].amount, Missing)
    assert "not known" in bar.title
    ends = [segment.start + segment.width for segment in bar.segments]
    assert all(end <= 1000 for end in ends)
    assert [segment.start for segment in bar.segments] == [0, *ends[:-1]]


def test_each_capacity_is_a_line_with_its_owner(rich):
    limits = bars(rich)["load-bar-1"].limits
    assert all(isinstance(limit, Limit) and 0 < limit.at <= 1000 for limit in limits)
    told = " ".join(limit.label for limit in limits)
    assert "rent-6000ada" in told
    assert "at most, by label" in told
    assert "fp8-cache" not in told


def test_a_changed_candidate_has_a_bar_of_its_own(rich):
    bar = bars(rich)["load-bar-2"]
    assert words(bar.lead).startswith("fp8-cache, limit")
    assert {limit.label.split(" ")[0] for limit in bar.limits} == {"fp8-cache"}


def test_phases_say_what_takes_most_and_what_may_be_changed(rich):
    told = rows(rich, "phases")
    assert [row[0] for row in told] == ["limit", "limit", "fp8-cache limit", "fp8-cache limit"]
    assert "prefill" in told[0][1]
    assert "may ask for most" in told[1][1]
    assert told[1][2].startswith("at least")
    assert "weights" in told[0][3]
    assert "another format" in told[0][3]
    assert "another format" not in told[1][3], "a lever is told once"


def test_a_range_continues_the_item_before_it():
    """Both ends stand once: what is sure with the item, what may come to it behind it."""
    told = view(compile_fiche(SAMPLES / "latent-cache" / "fiche.yaml").decision)
    bar = bars(told)["load-bar-2"]
    cache, more = bar.segments[:2]
    assert (cache.kind, cache.label, cache.amount.text) == ("computed", "KV cache", "7.59\u00a0GiB")
    assert (more.kind, more.label, more.amount.text) == ("range", "up to", "67.50\u00a0GiB")
    assert (cache.continues, more.continues) == (False, True)
    assert "KV cache 7.59\u00a0GiB, up to 67.50\u00a0GiB + " in bar.title
    alone = next(s for s in bar.segments if s.label.startswith("transient of the load"))
    assert (alone.kind, alone.continues) == ("range", False)


def test_a_need_with_two_ends_is_solid_to_the_near_one_only():
    """D1: only what lies left of the solid end excludes; 36.85 of 96.76 GiB are 380 of 1000."""
    told = view(compile_fiche(SAMPLES / "latent-cache" / "fiche.yaml").decision)
    needs = [bar for bar in inside(told, Bar) if bar.id.startswith("bar-")]
    small = next(bar for bar in needs if words(bar.lead).startswith("rtx-5090"))
    sure, more = small.segments
    assert (sure.kind, more.kind, more.continues) == ("computed", "range", True)
    assert sure.width == 36_85 * 1000 // 96_76
    assert small.limit < sure.width
    larger = next(bar for bar in needs if words(bar.lead).startswith("rtx-6000-ada"))
    assert larger.limit > larger.segments[0].width


def test_long_tables_are_folded_on_a_screen_only(rich):
    """E1, E5: what few read opens on demand, with its count; paper shows it."""
    assert table(rich, "items").folded
    assert not table(rich, "phases").folded
    page = files(compile_fiche(SAMPLES / "guide" / "fiche.yaml"), Asked(formats=("html",)))[
        "report.html"
    ].decode()
    # Two long tables, and the letter to the one seller.
    assert page.count("<details>") == page.count("</details>") == 3
    hidden = [line for line in template_text("report_print.css").splitlines() if "summary" in line]
    assert [line.endswith("{ display: none; }") for line in hidden] == [True]


def test_every_item_has_its_formula_and_every_open_one_its_question(rich):
    told = {row[0].split("\n")[-1]: row for row in rows(rich, "items")}
    assert "model.layers" in told["limit.kv_cache"][2]
    assert told["limit.workspace"][1:] == ["not known", "measure the whole loop"]
    assert {"weights", "fp8-cache/limit.kv_cache"} <= set(told)
    notes = words(table(rich, "items").notes)
    assert (
        "limit.envelope does not include: activations and workspace; uses outside the process."
        in notes
    )
    assert "weights does not include: quantisation metadata." in notes


def test_every_input_says_where_it_was_read(rich):
    told = {row[0]: row for row in rows(rich, "inputs")}
    assert told["model.layers"][2].startswith("read at chat.yaml:")
    assert told["limit.prompt_tokens"][1].startswith("7 900 tokens")
    assert all(row[2] for row in told.values())


def test_segments_share_one_scale(rich):
    bar = bars(rich)["load-bar-1"]
    drawn = [s for s in bar.segments if isinstance(s, Segment) and s.kind == "computed"]
    assert drawn[1].width < drawn[0].width
