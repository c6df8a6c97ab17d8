"""Unsloth's banner and notebook lines (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, facts, read, refusal, seen, told

from fiche.importers.unsloth_log import MEMBER

BANNER = r"""==((====))==  Unsloth 2025.10.1: Fast Llama patching. Transformers: 4.56.2. vLLM: 0.15.1.
   \\   /|    Tesla T4. Num GPUs = 1. Max memory: 14.741 GB. Platform: Linux.
O^O/ \_/ \    Torch: 2.8.0+cu126. CUDA: 7.5. CUDA Toolkit: 12.6. Triton: 3.4.0
\        /    Bfloat16 = FALSE. FA [Xformers = None. FA2 = False]
"""
OLD_BANNER = r"""==((====))==  Unsloth 2024.11.5: Fast Llama patching. Transformers = 4.46.2.
   \\   /|    GPU: NVIDIA L40S. Max memory: 44.521 GB. Platform = Linux.
O^O/ \_/ \    Pytorch: 2.5.1+cu124. CUDA = 8.9. CUDA Toolkit = 12.4.
"""
NOTEBOOK = """GPU = Tesla T4. Max memory = 14.741 GB.
3.428 GB of memory reserved.
3.12 minutes used for training.
Peak reserved memory = 4.049 GB.
Peak reserved memory for training = 0.621 GB.
Peak reserved memory % of max memory = 27.468 %.
Peak reserved memory for training % of max memory = 4.213 %.
"""


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_a_notebooks_lines(damage):
    reading = read(MEMBER, damage(NOTEBOOK))
    assert seen(reading) == [
        ("device.total_memory", "total", "14.741"),
        ("reserved_bytes", "peak", "3.428"),
        ("reserved_bytes", "peak", "4.049"),
        ("reserved_bytes", "delta", "0.621"),
    ]
    assert len(reading.not_observed) == 2
    assert told(reading, "unit_label_is_binary")


def test_a_difference_of_rounded_figures_is_twice_as_wide():
    *_, peak, difference = read(MEMBER, NOTEBOOK).observations
    width = peak.value.high - peak.value.low
    assert difference.value.value is None
    assert difference.value.high - difference.value.low >= 2 * width


@pytest.mark.parametrize(
    ("banner", "expected"),
    [
        (
            BANNER,
            {
                "engine.name": "unsloth",
                "engine.version": "2025.10.1",
                "extensions.transformers": "4.56.2",
                "extensions.vllm": "0.15.1",
                "extensions.triton": "3.4.0",
                "device": "Tesla T4",
                "framework.name": "torch",
                "framework.version": "2.8.0+cu126",
                "runtime": "12.6",
            },
        ),
        (
            OLD_BANNER,
            {
                "engine.name": "unsloth",
                "engine.version": "2024.11.5",
                "extensions.transformers": "4.46.2",
                "device": "NVIDIA L40S",
                "framework.name": "torch",
                "framework.version": "2.5.1+cu124",
                "runtime": "12.4",
            },
        ),
    ],
)
def test_the_banner_states_versions(banner, expected):
    reading = read(MEMBER, banner)
    assert facts(reading) == expected
    assert (reading.backend, reading.shape) == ("cuda", "banner")
    assert [o.stat for o in reading.observations] == ["total"]


def test_other_makers():
    text = BANNER.replace("CUDA: 7.5. CUDA Toolkit: 12.6", "ROCm Toolkit: 6.4.1").replace(
        "+cu126", "+rocm6.4"
    )
    assert read(MEMBER, text).backend == "rocm"


def test_the_total_stands_once_though_it_is_printed_twice():
    (capacity,) = read(MEMBER, BANNER + NOTEBOOK).capacities
    assert (capacity.counter, capacity.device_name) == ("torch_total_memory", "Tesla T4")


def test_a_log_without_these_lines():
    assert refusal(MEMBER, "Unsloth: Fast downloading is enabled\n") == "F424"
