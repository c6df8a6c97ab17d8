"""What is alive together in each phase, and which phase asks for most (C4, D7)."""

from workloads import case, stated, workload

from fiche.estimators import peak_phase, phase_totals
from fiche.estimators._phases import phases_of
from fiche.estimators._reading import missing
from fiche.kernel.comparison import LoadItem
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE


def item(name, value, *phases, resident=True):
    node = stated(name, value, BYTE) if value is not None else missing(name, BYTE, "need", "say it")
    return LoadItem(name=name, node=node, resident=resident, phases=phases)


LOAD = workload(operation="generation")
ITEMS = [
    item("weights", 100),
    item("cache", 40, "prefill", "decode"),
    item("copy", 60, "model_load"),
]


def totals(*items, load=LOAD, where=None):
    return {each.phase: each for each in phase_totals(load, where or case(), items)}


def test_each_phase_adds_what_is_alive_in_it():
    found = totals(*ITEMS)
    assert {name: each.total.low for name, each in found.items()} == {
        "model_load": 160,
        "prefill": 140,
        "decode": 140,
    }
    assert found["decode"].total.id == "limit.phase.decode"
    assert [one.name for one in found["model_load"].items] == ["weights", "copy"]


def test_the_phases_are_those_of_the_case_or_of_the_operation():
    assert phases_of(LOAD, replace(case(), phases=("prefill",))) == ("prefill",)
    assert "backward" in phases_of(workload(operation="training"), case())
    assert phases_of(workload(), case()) == ()
    assert totals(*ITEMS, load=workload()) == {}


def test_the_peak_is_the_phase_that_may_ask_for_most():
    assert peak_phase(totals(*ITEMS).values()).phase == "model_load"
    unknown = item("workspace", None, "decode")
    assert peak_phase(totals(*ITEMS, unknown).values()).phase == "decode"
    assert peak_phase([]) is None


def test_what_is_missing_opens_the_phase_it_is_alive_in_only():
    found = totals(*ITEMS, item("activations", None, "prefill"))
    assert found["prefill"].total.high is None
    assert found["decode"].total.high == 140


def test_what_comes_and_goes_need_not_be_alive_together():
    """Activations shrink while gradients grow: at least the larger of them, at most both."""
    passing = [item("activations", 50, resident=False), item("gradients", 70, resident=False)]
    found = totals(item("weights", 100), *passing)["decode"].total
    assert (found.low, found.high) == (170, 220)
    alone = totals(item("weights", 100), passing[0])["decode"].total
    assert (alone.low, alone.high) == (150, 150)


def test_a_prefill_ends_before_the_new_tokens_are_kept():
    """A hundred tokens in and a hundred thousand out: the cache is large while it decodes."""
    where = case("limit", prompt_tokens=100, new_tokens=100_000)
    byte = stated("byte", 7, BYTE)
    kept = where.dimensions["prompt_tokens"] + where.dimensions["new_tokens"]
    cache = LoadItem(
        name="kv_cache",
        node=(kept * byte).named("limit.kv_cache", "KV cache"),
        resident=True,
        phases=("prefill", "decode"),
    )
    found = totals(item("weights", 1000), cache, where=where)
    assert (found["prefill"].total.low, found["prefill"].total.high) == (1700, 701_700)
    assert (found["decode"].total.low, found["decode"].total.high) == (701_700, 701_700)
    assert peak_phase(found.values()).phase == "decode"
