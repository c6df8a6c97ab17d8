"""Step lines of prime-rl (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, GIB, bounds, read, refusal, seen, told

from fiche.importers.prime_rl_log import MEMBER

STEP = (
    "02:40:52 SUCCESS Step 3 | Time: 5.13s | Loss: 12.2500 | Throughput: 0 tokens/s | MFU: 0.0% | "
    "Peak Mem.: 7.8/23.7 GiB (32.9%) | Max Vio: 1.0000\n"
)
SHORT = "02:40:53 SUCCESS Step 4 | Time: 0.60s | Peak Mem.: 11.3 GiB\n"


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_the_peak_of_a_step_and_the_total_once(damage):
    reading = read(MEMBER, damage(STEP + STEP + SHORT))
    assert seen(reading) == [
        ("prime_rl.peak_memory", "peak", "7.8"),
        ("device.total_memory", "total", "23.7"),
        ("prime_rl.peak_memory", "peak", "7.8"),
        ("prime_rl.peak_memory", "peak", "11.3"),
    ]
    assert reading.observations[-1].marks["step"] == 4
    assert len(reading.capacities) == 1
    assert told(reading, "counter_not_told")


def test_one_decimal():
    low, high = bounds(read(MEMBER, SHORT).observations[0])
    assert (low, high) == (11.25 * GIB, 11.35 * GIB // 1)


def test_a_log_without_these_lines():
    assert refusal(MEMBER, "SUCCESS Step 3 | Time: 5.13s\n") == "F424"
