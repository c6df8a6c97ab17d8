"""Memory metrics of Hugging Face's Trainer (evidence_formats 4)."""

import json

import pytest
from importers.training import DAMAGES, DIGEST, MIB, bounds, read, refusal, seen, told

from fiche.importers.hf_trainer_metrics import MEMBER
from fiche.kernel.diagnostic import Refused

RESULTS = {
    "before_init_mem_cpu": 1318027264,
    "before_init_mem_gpu": 512,
    "init_mem_gpu_alloc_delta": 438012416,
    "init_mem_gpu_peaked_delta": 1024,
    "train_loss": 1.88,
    "train_mem_gpu_alloc_delta": -4096,
    "train_mem_gpu_peaked_delta": 5093982208,
}
TABLE = """***** train metrics *****
  before_init_mem_gpu        =      716MB
  init_mem_gpu_alloc_delta   =       -1MB
  init_mem_gpu_peaked_delta  =        2MB
  train_loss                 =     0.4416
  train_mem_gpu_peaked_delta =     9302MB
"""


def test_a_file_of_results_has_exact_bytes_and_a_pointer_for_each():
    reading = read(MEMBER, json.dumps(RESULTS, indent=4))
    assert reading.shape == "all-results"
    train = next(o for o in reading.observations if o.counter == "train_mem_gpu_peaked_delta")
    assert bounds(train) == (5093982208, 5093982208)
    assert (train.pointer.path, train.stat, train.marks["stage"]) == (
        "/train_mem_gpu_peaked_delta",
        "peak_delta",
        "train",
    )


def test_a_fall_is_a_negative_difference():
    reading = read(MEMBER, json.dumps(RESULTS))
    fall = next(o for o in reading.observations if o.counter == "train_mem_gpu_alloc_delta")
    assert (fall.stat, bounds(fall)) == ("delta", (-4096, -4096))


def test_the_absolute_peak_is_known_of_init_alone():
    reading = read(MEMBER, json.dumps(RESULTS))
    peaks = [o for o in reading.observations if o.stat == "peak"]
    assert [(o.counter, o.value.value) for o in peaks] == [
        ("init_mem_gpu.peak", 512 + 438012416 + 1024)
    ]
    assert [n.text for n in reading.not_observed] == ["the absolute peak of the train stage"]


def test_without_a_start_init_has_no_peak():
    some = {k: v for k, v in RESULTS.items() if k != "before_init_mem_gpu"}
    assert all(o.stat != "peak" for o in read(MEMBER, json.dumps(some)).observations)


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_the_printed_table_is_cut_down_to_mebibytes(damage):
    reading = read(MEMBER, damage(TABLE))
    fall = next(o for o in reading.observations if o.counter == "init_mem_gpu_alloc_delta")
    assert reading.shape == "printed-table"
    assert bounds(fall) == (-MIB, -1)  # a byte less than nothing prints as -1MB
    assert told(reading, "unit_label_is_binary")
    assert told(reading, "rank_0_only")


def test_the_peak_of_a_printed_table_keeps_what_was_cut_away():
    (peak,) = [o for o in read(MEMBER, TABLE).observations if o.counter == "init_mem_gpu.peak"]
    assert bounds(peak) == (717 * MIB, 720 * MIB - 3)


def test_a_state_gives_steps_and_pointers():
    history = [{"loss": 1.0, "step": 10}, {"step": 20, **RESULTS}]
    reading = read(MEMBER, json.dumps({"best_metric": None, "log_history": history}))
    train = next(o for o in reading.observations if o.counter == "train_mem_gpu_peaked_delta")
    assert (train.pointer.path, train.marks["step"]) == (
        "/log_history/1/train_mem_gpu_peaked_delta",
        20,
    )


def test_a_printed_dictionary_is_read_also_where_a_terminal_wrapped_it():
    line = str({"loss": 0.5, "train_runtime": 412.7, **RESULTS}).replace(
        " 'train_mem", "\n'train_mem", 1
    )
    reading = read(MEMBER, f"100%|####| 3/3\r{line}\n")
    assert ("train_mem_gpu_peaked_delta", "peak_delta", "5093982208") in seen(reading)
    assert len(reading.observations) == 7  # six metrics and one derived, none twice


def test_what_the_program_could_not_measure_is_missing():
    told_so = {**RESULTS, "init_mem_gpu_peaked_delta": "Not available"}
    reading = read(MEMBER, json.dumps(told_so))
    assert all("init_mem_gpu_peak" not in o.counter for o in reading.observations)
    assert told(reading, "not_available")


def test_a_state_without_metrics_of_memory_says_so():
    text = '{"log_history": [{"loss": 1.0, "step": 1}]}'
    assert MEMBER.accepts(text.encode(), "trainer_state.json") == 6
    assert refusal(MEMBER, text) == "F424"


def test_a_file_that_breaks_off_is_read_in_no_part():
    with pytest.raises(Refused) as refused:
        MEMBER.read(json.dumps(RESULTS, indent=4)[:-30].encode(), DIGEST)
    assert refused.value.diagnostics[0].code == "F428"
