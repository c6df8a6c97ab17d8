"""What would settle an open memory comparison: one run where one run answers (D1, D6)."""

from evaluate.build import (
    MACHINE,
    TO_CONFIRM,
    candidate,
    case,
    failing,
    findings,
    memory,
    piece,
    run,
    total,
    used,
)
from evaluate.build import workload as a_workload

from fiche.kernel.record import replace

USUAL = case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4)
LIMIT = case("limit", prompt_tokens=7848, new_tokens=344, resident_sequences=4)
MANY = case("many", prompt_tokens=1200, new_tokens=300, resident_sequences=16)


def record(load, of):
    """A run of one case on the candidate's own machine, which printed its total."""
    return piece(
        machine=MACHINE, totals=(total("24081 MiB"),), runs=[run(used(1), load=load, of=of)]
    )


def runs(cases, pieces=(), **changes):
    """The runs that each case asks for, by case."""
    on = candidate(load=a_workload(list(cases), **changes))
    found = findings(memory(), pieces, on)
    assert {f.verdict for f in found} == {TO_CONFIRM}
    return {
        f.case: tuple(c.text.partition("; nearest")[0] for c in f.conditions if c.topic == "need")
        for f in found
    }


def asked(name, card="nvidia-rtx-4090-24g"):
    return f"run the whole loop of case '{name}' on {card} and import its record"


def test_a_run_of_the_limit_case_answers_for_the_usual_one_in_any_order():
    both = (f"{asked('limit')}; it answers for case 'usual' too",)
    for cases in ((USUAL, LIMIT), (LIMIT, USUAL)):
        assert runs(cases) == {"limit": both, "usual": both}


def test_cases_that_do_not_cover_each_other_need_a_run_each():
    """D6: more sequences are not longer ones. A case below both is answered by one of them."""
    told = runs((USUAL, LIMIT, MANY))
    assert told["limit"] != told["many"]
    assert told["usual"] in (told["limit"], told["many"])
    assert told["limit"][0].startswith(asked("limit"))
    assert told["many"][0].startswith(asked("many"))


def test_a_case_with_a_phase_of_its_own_is_not_answered_by_a_larger_one():
    export = case("usual", phases=("prefill", "export"), prompt_tokens=1200, new_tokens=300)
    export = replace(export, dimensions=USUAL.dimensions)
    assert runs((export, LIMIT)) == {"usual": (asked("usual"),), "limit": (asked("limit"),)}


def test_a_case_that_a_run_covers_already_is_not_named_again():
    load = a_workload([USUAL, LIMIT])
    found = findings(memory(), [record(load, USUAL)], candidate(load=load))
    told = {f.case: [c.text for c in f.conditions if c.topic == "need"] for f in found}
    assert told["usual"] == []
    assert told["limit"][0].startswith(f"{asked('limit')}; nearest piece")


def test_the_run_says_where_the_verdict_turns():
    """In bytes where the machine has shown what it offers, else against what it will show."""
    on = candidate(load=a_workload([LIMIT]))
    (bare,) = findings(memory(), [], on)
    (peak,) = [c.threshold for c in bare.conditions if c.topic == "need"]
    assert peak.startswith("peak of the process's device use")
    assert peak.endswith("<= what the machine offers")
    (free,) = [c.threshold for c in bare.conditions if c.topic == "memory_available"]
    assert free.startswith(">= peak of the process's device use")
    load = a_workload([USUAL, LIMIT])
    shown = findings(memory(), [record(load, USUAL)], candidate(load=load))[1]
    (peak,) = [c.threshold for c in shown.conditions if c.topic == "need"]
    assert shown.have is not None
    assert peak == f"peak of the process's device use <= {shown.have.low} B"


def test_a_failure_of_another_engine_leaves_nothing_to_explain():
    """It is told among what was observed; no answer about it would move this verdict."""
    on = candidate(load=a_workload([LIMIT]))
    other = piece("oom", runs=[failing(facts={"engine.version": "0.1"})])
    (found,) = findings(memory(), [other], on)
    assert "failure" not in {c.topic for c in found.conditions}
    assert "oom" not in found.pieces
