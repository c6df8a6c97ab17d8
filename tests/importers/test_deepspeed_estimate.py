"""DeepSpeed's estimate for ZeRO: computed, nothing is observed (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, bounds, read, refusal, told

from fiche.importers.deepspeed_estimate import MEMBER

HEAD = """Estimated memory needed for params, optim states and gradients for a:
HW: Setup with 1 node, 4 GPUs per node.
SW: Model with 5912M total params, 98M largest layer params.
  per CPU  |  per GPU |   Options
"""
STAGE_3 = HEAD + "  148.67GB |   0.37GB | offload_param=cpu , offload_optimizer=cpu , zero_init=1\n"
STAGE_2 = HEAD + "  148.67GB |  11.01GB | offload_optimizer=none\n"


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_rows_are_plans_and_nothing_is_observed(damage):
    reading = read(MEMBER, damage(STAGE_3))
    assert not reading.observations
    assert [(p.counter, p.kind_of_origin, p.value.text) for p in reading.planned] == [
        ("deepspeed.states_per_gpu", "estimated", "0.37GB"),
        ("deepspeed.states_per_cpu", "estimated", "148.67GB"),
    ]
    assert [n.text for n in reading.not_observed] == ["per CPU / per GPU table"]
    assert told(reading, "computed_not_observed")


def test_the_options_name_a_row_and_its_stage():
    stage_3, stage_2 = read(MEMBER, STAGE_3), read(MEMBER, STAGE_2)
    assert stage_3.planned[0].label == "offload_param=cpu,offload_optimizer=cpu,zero_init=1"
    assert (stage_3.shape, stage_2.shape) == ("zero3-estimate", "zero2-estimate")
    assert stage_3.further["setup"] == "1 node, 4 GPUs per node"


def test_newer_pythons_print_the_enumerations_name():
    text = STAGE_3.replace("=cpu ", "=OffloadDeviceEnum.cpu")
    (options,) = {plan.label for plan in read(MEMBER, text).planned}
    assert options == "offload_param=cpu,offload_optimizer=cpu,zero_init=1"


def test_a_gigabyte_is_a_power_of_two():
    low, high = bounds(read(MEMBER, STAGE_2).planned[0])
    assert low < 11.01 * 2**30 < high
    assert high - low < 0.011 * 2**30


def test_a_title_without_rows():
    assert refusal(MEMBER, HEAD) == "F424"
