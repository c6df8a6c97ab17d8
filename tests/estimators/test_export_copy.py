"""A second copy of what is saved, or none (D7)."""

from trained import ALL_LINEAR, LLAMA_PARAMETERS, llama, training
from workloads import case

from fiche.estimators.export_copy import MEMBER
from fiche.kernel.record import replace


def copy(phases=("export",), **told):
    at = replace(case(), phases=phases)
    found = MEMBER.estimate(training(at, of=llama(), **told), at)
    return (found[0].low, found[0].high) if found else None


def test_up_to_the_whole_model_of_a_full_fine_tune():
    assert copy(method__kind="full", formats__loaded="bf16") == (0, 2 * LLAMA_PARAMETERS)


def test_up_to_the_adapters_of_an_adaptation():
    lora = {"method__kind": "lora", "method__rank": 16, "targets": ALL_LINEAR}
    assert copy(**lora, engine__name="peft") == (0, 4 * 41_943_040)


def test_only_where_the_case_goes_through_one():
    assert copy(phases=("forward",), method__kind="full") is None
    assert MEMBER.phases == ("export",)
    assert not MEMBER.resident
