"""A candidate may place the load its own way: one large card beside a pair (D4)."""

import pytest
from loading import loaded

from fiche.kernel.diagnostic import Refused

FICHE = """\
fiche: 1
title: A pair beside one large card
date: 2026-11-29
workload:
  model: {name: m, revision: r, parameters: 1000}
  operation: generation
  placement: {devices: 2, resident: all, split: tensor_parallel, software: vllm 0.28.0}
candidates:
  - {id: pair, gpu: nvidia-rtx-6000-ada-48g, cards: 2}
  - {id: large, gpu: nvidia-h100-sxm5-80g, cards: 1, placement: {devices: 1, resident: all}}
  - {id: larger, baseline: pair, change: {gpu: nvidia-h100-sxm5-80g}, placement: {devices: 2, resident: all}}
"""


def placement(candidate):
    load = candidate.workload
    told = {path: fact.value for path, fact in load.facts.items() if path.startswith("placement.")}
    return told | {"devices": load.figures["placement.devices"].low}


def test_a_candidate_s_placement_replaces_the_workload_s_own_whole():
    pair, large, larger = loaded(FICHE).fiche.candidates
    assert placement(pair)["placement.split"] == "tensor_parallel"
    assert placement(large) == {"placement.resident": "all", "devices": 1}
    assert placement(larger) == {"placement.resident": "all", "devices": 2}


def test_the_figure_points_at_the_candidate_s_own_line():
    large = loaded(FICHE).fiche.candidates[1]
    assert large.workload.figures["placement.devices"].origin.span.line == 10


def test_it_would_be_a_second_change_beside_one_of_the_workload():
    text = FICHE.replace("{gpu: nvidia-h100-sxm5-80g}", "{formats.cache: fp8_e4m3}")
    with pytest.raises(Refused) as refused:
        loaded(text)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["F309"]
