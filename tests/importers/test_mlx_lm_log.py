"""MLX-LM's peak of memory (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, GIB, read, refusal, told

from fiche.importers.mlx_lm_log import MEMBER

TRAINED = (
    "Iter 10: Train loss 10.986, Learning Rate 1.000e-05, It/sec 1.961, Tokens/sec 129.632, "
    "Trained Tokens 661, Peak mem 100.759 GB\n"
)
SPEED = "Prompt: 12 tokens, 100.1 tokens-per-sec\nGeneration: 5 tokens, 50.0 tokens-per-sec\n"
GENERATED = SPEED + "Peak memory: 5.001 GB\n"
MEASURED = (
    "Trial 1:  prompt_tps=1.0, generation_tps=2.0, peak_memory=5.001, total_time=1.0\n"
    "Averages: prompt_tps=1.0, generation_tps=2.0, peak_memory=5.001\n"
)


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_a_line_of_training(damage):
    (peak,) = read(MEMBER, damage(TRAINED)).observations
    assert (peak.stat, peak.marks["step"], peak.value.text) == ("peak", 10, "100.759 GB")


def test_both_meanings_of_a_gigabyte_are_allowed_for():
    reading = read(MEMBER, TRAINED)
    (peak,) = reading.observations
    assert peak.value.low <= 100.759 * 10**9
    assert peak.value.high >= 100.759 * GIB
    assert told(reading, "unit_not_certain")


def test_a_generation():
    (peak,) = read(MEMBER, GENERATED).observations
    assert peak.value.text == "5.001 GB"


def test_a_mean_of_peaks_is_no_peak():
    reading = read(MEMBER, MEASURED)
    assert [o.label for o in reading.observations] == ["Trial 1"]
    assert reading.not_observed[0].text.startswith("Averages")


def test_words_that_many_programs_print_are_not_enough():
    assert MEMBER.accepts(b"Peak memory: 5.001 GB\n", "x") == 0
    assert refusal(MEMBER, "Peak memory: 5.001 GB\n") == "F424"
