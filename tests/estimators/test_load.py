"""The checklist of a case, and one id for each figure of a decision (law 1, B7, D10)."""

import pytest
from workloads import GIB, LLAMA, case, fact, reserve, stated, workload

from fiche.estimators import figures, load_items
from fiche.estimators._load import _by_id
from fiche.estimators._reading import missing
from fiche.kernel.doors import Estimator
from fiche.kernel.record import replace
from fiche.kernel.trace import formula
from fiche.kernel.unit import BYTE, count_of
from fiche.registry import members

ESTIMATORS = members("fiche.estimators", Estimator)
USUAL = case("usual", prompt_tokens=1000, new_tokens=24, resident_sequences=1)
LIMIT = case("limit", prompt_tokens=8000, new_tokens=192, resident_sequences=4)


def items(load, where=None, **more):
    return {item.name: item for item in load_items(load, where, ESTIMATORS, **more)}


def test_a_generation_checks_weights_cache_and_working_memory():
    load = workload(LIMIT, reserve=[reserve("context", GIB)], **LLAMA)
    found = items(load, LIMIT)
    assert set(found) == {"weights", "kv_cache", "workspace", "reserve"}
    assert {name for name, item in found.items() if item.resident} == {"weights", "kv_cache"}


def test_a_training_checks_each_item_of_b6():
    """B6: each a named item."""
    found = items(workload(case(), operation="training"), case())
    assert set(found) == {
        "activations",
        "buffers",
        "gradients",
        "optimizer_state",
        "temporaries",
        "weights",
        "workspace",
    }
    assert {name for name, item in found.items() if item.resident} == {
        "optimizer_state",
        "weights",
    }


def test_an_adaptation_keeps_its_base_model():
    """B6: the number of LoRA parameters alone is not enough."""
    load = workload(case(), operation="adaptation", method__kind="lora")
    assert {"weights", "learned_parameters", "activations"} <= set(items(load, case()))


def test_without_an_operation_only_weights_and_working_memory_are_known_of():
    assert set(items(workload(model__parameters=7))) == {"weights", "workspace"}


def test_ids_are_qualified_by_the_case_and_unique():
    load = workload(USUAL, LIMIT, reserve=[reserve("context", GIB)], **LLAMA)
    found = figures(load, ESTIMATORS)
    for name in (
        "weights",
        "model.parameters",
        "formats.cache.bits",
        "bits_per_byte",
        "usual.kv_cache",
        "limit.kv_cache",
        "limit.tokens_kept",
        "limit.resident_sequences",
        "limit.workspace",
        "usual.envelope",
        "limit.envelope",
        "reserve.context",
    ):
        assert found[name].id == name
    assert found["limit.kv_cache"].low == 4 * GIB
    assert "envelope" not in found


def test_a_workload_without_a_case_has_one_envelope():
    found = figures(workload(**LLAMA), ESTIMATORS)
    assert {"envelope", "kv_cache"} <= set(found)


def test_a_margin_is_a_figure_too():
    margin = replace(reserve("longer", GIB), id="margin.longer")
    assert "margin.longer" in figures(workload(margin=[margin]), ESTIMATORS)


def items_of(own):
    """Ids beside the totals of phases, which move with every item alive in them."""
    return {name for name in own if ".phase." not in name and "prefill" not in name}


def changed(load):
    return replace(load, facts={**load.facts, "formats.cache": fact("fp8_e4m3")})


def test_a_changed_candidate_adds_only_what_its_change_moves():
    """D10: one thing differs, and the ids show which."""
    load = workload(LIMIT, **LLAMA)
    base = figures(load, ESTIMATORS)
    own = figures(changed(load), ESTIMATORS, "fp8/", base)
    assert items_of(own) == {"fp8/formats.cache.bits", "fp8/limit.kv_cache", "fp8/limit.envelope"}
    assert "fp8/limit.phase.decode" in own
    assert own["fp8/limit.kv_cache"].low == 2 * GIB
    assert formula(own["fp8/limit.envelope"]) == "fp8/limit.kv_cache + weights"
    assert set(figures(load, ESTIMATORS, "same/", base)) == set()


def test_a_changed_candidates_checklist_bears_the_same_ids():
    load = workload(LIMIT, **LLAMA)
    base = figures(load, ESTIMATORS)
    found = items(changed(load), LIMIT, prefix="fp8/", base=base)
    assert found["kv_cache"].node.id == "fp8/limit.kv_cache"
    assert found["weights"].node.id == "weights"
    assert formula(found["kv_cache"].node).count("fp8/formats.cache.bits") == 1


def test_a_changed_dimension_moves_every_figure_above_it():
    load = workload(LIMIT, **LLAMA)
    base = figures(load, ESTIMATORS)
    other = replace(
        LIMIT, dimensions={**LIMIT.dimensions, "new_tokens": stated("limit.new_tokens", 1)}
    )
    own = figures(workload(other, **LLAMA), ESTIMATORS, "short/", base)
    assert items_of(own) == {
        "short/limit.new_tokens",
        "short/limit.tokens_kept",
        "short/limit.kv_cache",
        "short/limit.envelope",
    }


def test_one_id_never_stands_for_two_figures():
    load = workload(**LLAMA)
    clash = replace(load, figures={**load.figures, "other": stated("weights", 1, BYTE)})
    with pytest.raises(ValueError, match="two different figures are called weights"):
        figures(clash, ESTIMATORS)


def test_what_is_missing_may_be_asked_for_in_several_ways():
    """A figure and a question, or questions of two units, are still two things (law 1)."""
    asked = [missing("bits", count_of("bits"), "storage_format", text) for text in ("one", "two")]
    assert _by_id(asked) == {"bits": asked[0]}
    for other in (missing("bits", BYTE, "need", "three"), stated("bits", 8)):
        with pytest.raises(ValueError, match="two different figures are called bits"):
            _by_id([asked[0], other])


def test_every_item_is_named():
    for where in (None, LIMIT):
        for operation in ("generation", "training", "adaptation"):
            load = workload(*([where] if where else []), **{**LLAMA, "operation": operation})
            assert all(
                item.node.id and item.node.label for item in load_items(load, where, ESTIMATORS)
            )


@pytest.mark.parametrize(
    ("offload", "offloaded"),
    [("parameters", {"weights"}), ("cache", {"kv_cache"}), ("all", {"weights", "kv_cache"})],
)
def test_what_is_offloaded_may_be_nothing_or_all_of_it(offload, offloaded):
    """D4: offload to the host leaves between nothing and the whole item on the device."""
    load = workload(LIMIT, placement__resident="offload", placement__offload=offload, **LLAMA)
    found = items(load, LIMIT)
    for name in ("weights", "kv_cache"):
        node = found[name].node
        assert node.id.endswith(".offloaded") == (name in offloaded)
        assert (node.low == 0) == (name in offloaded)
        assert node.high > 0
