"""Memory in the lines of MMEngine and MMCV (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, MIB, bounds, read, refusal, told

from fiche.importers.mmengine_log import MEMBER

ENGINE = (
    "2023/01/01 12:00:00 - mmengine - INFO - Epoch(train)  [1][  50/7330]  base_lr: 1.0e-03 lr: 1.0e-03  "
    "eta: 1 day, 2:00:00  time: 0.338  data_time: 0.057  memory: 28746  loss: 1.2\n"
)
ITERATION = ENGINE.replace("Epoch(train)  [1][  50/7330]", "Iter(train) [  50/80000]")
OLD = (
    "2021-01-01 12:00:00,123 - mmdet - INFO - Epoch [1][50/7330]\tlr: 1.978e-03, eta: 4:06:14, time: 0.338, "
    "data_time: 0.057, memory: 28746, loss_rpn_cls: 0.5\n"
)
ROWS = '{"env_info": "x", "seed": 0}\n{"mode": "train", "epoch": 3, "iter": 50, "lr": 3e-05, "memory": 28746}\n'


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
@pytest.mark.parametrize("text", [ENGINE, ITERATION, OLD])
def test_a_line_holds_whole_mebibytes_cut_down(text, damage):
    (peak,) = read(MEMBER, damage(text)).observations
    assert bounds(peak) == (28746 * MIB, 28747 * MIB - 1)
    assert peak.stat == "peak"


def test_only_newer_versions_reset_the_peak():
    new, old = read(MEMBER, ENGINE), read(MEMBER, OLD)
    assert new.observations[0].window == "since_previous_line"
    assert old.observations[0].window == ""
    assert told(old, "largest_of_ranks")


def test_lines_of_json():
    (peak,) = read(MEMBER, ROWS).observations
    assert (peak.pointer.line, peak.marks["step"], peak.value.value) == (2, 50, 28746 * MIB)


def test_memory_of_somebody_else():
    text = '{"memory": 28746}\nmemory: 28746\n'
    assert MEMBER.accepts(text.encode(), "x") == 0
    assert refusal(MEMBER, text) == "F424"
