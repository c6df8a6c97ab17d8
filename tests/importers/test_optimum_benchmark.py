"""Reports of optimum-benchmark: decimal megabytes, sampled sums, and the traps beside them."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers.optimum_benchmark import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
MEMORY = {
    "unit": "MB",
    "max_ram": 3301.609472,
    "max_global_vram": 10338.435072,
    "max_process_vram": 9876.5,
    "max_reserved": 8942.256128,
    "max_allocated": 8170.2144,
}
LATENCY = {
    "unit": "s",
    "values": [0.5, 0.75],
    "count": 2,
    "total": 1.25,
    "mean": 0.625,
    "p50": 0.625,
    "p90": 0.725,
    "p95": 0.7375,
    "p99": 0.7475,
    "stdev": 0.125,
    "stdev_": 20.0,
}
STAGE = {
    "memory": MEMORY,
    "latency": LATENCY,
    "throughput": {"unit": "samples/s", "value": 1.6},
    "energy": None,
    "efficiency": None,
}
REPORT = {"load_model": {**STAGE, "latency": None, "throughput": None}, "prefill": STAGE}
CONFIG = {
    "name": "bench",
    "backend": {
        "name": "pytorch",
        "version": "2.6.0+cu124",
        "_target_": "optimum_benchmark.backends.pytorch.backend.PyTorchBackend",
        "model": "meta-llama/Llama-3.1-8B",
        "task": "text-generation",
        "library": "transformers",
        "device": "cuda",
        "device_ids": "0,1",
        "seed": 42,
        "model_kwargs": {"revision": "0e9e39f249a16976918f6564b8830bc894c89659"},
        "torch_dtype": "bfloat16",
        "attn_implementation": "sdpa",
        "autocast_enabled": False,
        "quantization_config": {},
    },
    "scenario": {
        "name": "inference",
        "iterations": 10,
        "warmup_runs": 5,
        "input_shapes": {"batch_size": 2, "sequence_length": 512},
        "generate_kwargs": {"max_new_tokens": 64},
    },
    "launcher": {"name": "process"},
    "environment": {
        "platform": "Linux-6.8",
        "python_version": "3.11.9",
        "gpu": ["NVIDIA L4", "NVIDIA L4"],
        "gpu_count": 2,
        "gpu_vram_mb": 48305799168,
        "optimum_benchmark_version": "0.6.0",
        "transformers_version": "4.48.0",
    },
}


def changed(path, value, document):
    document = json.loads(json.dumps(document))
    *front, last = path.split("/")
    place = document
    for key in front:
        place = place[key]
    place[last] = value
    return document


def read(document):
    return MEMBER.read(json.dumps(document, indent=4).encode(), DIGEST)


def benchmark(path="", value=None):
    document = {"config": CONFIG, "report": REPORT}
    return read(changed(path, value, document) if path else document)


def figures(reading):
    return {o.counter: o.value.value for o in reading.observations}


def said(reading):
    return {text.partition(":")[0] for text in reading.warnings}


def test_mb_is_a_million_bytes_written_in_full():
    reading = read(REPORT)
    assert figures(reading)["prefill.max_allocated"] == 8_170_214_400
    assert len(reading.observations) == 10
    (peak,) = (o for o in reading.observations if o.counter == "prefill.max_reserved")
    assert (peak.scope, peak.stat, peak.marks["stage"]) == ("process_allocator", "peak", "prefill")
    assert (peak.value.low, peak.value.high) == (8_942_256_128,) * 2
    assert peak.pointer.path == "/prefill/memory/max_reserved"
    assert {"device_not_named", "summed_over_devices", "sampled", "maker_not_told"} == said(reading)


@given(st.integers(1, 1 << 44))
def test_a_count_of_bytes_survives_the_division_by_a_million(count):
    document = changed("prefill/memory/max_reserved", count / 1e6, REPORT)
    assert figures(read(document))["prefill.max_reserved"] == count


def test_a_process_that_nvml_does_not_show_is_missing():
    reading = read(changed("prefill/memory/max_process_vram", 0.0, REPORT))
    assert "prefill.max_process_vram" not in figures(reading)
    assert [told.text for told in reading.not_observed] == ["max_process_vram 0.0"]
    assert "process_memory_unavailable" in said(reading)


@pytest.mark.parametrize("name", ["max_reserved", "max_global_vram"])
def test_other_zeros_may_be_unmeasured(name):
    reading = read(changed(f"prefill/memory/{name}", 0, REPORT))
    assert f"prefill.{name}" not in figures(reading)
    assert "zero_may_be_unmeasured" in said(reading)


def test_null_is_missing():
    reading = read(changed("prefill/memory/max_reserved", None, REPORT))
    assert "prefill.max_reserved" not in figures(reading)


def test_latency_and_throughput_are_results():
    results = {(r.metric, r.stat): r for r in read(REPORT).results if r.label == "prefill"}
    assert (results["throughput", ""].unit, results["throughput", ""].text) == (
        "samples/s",
        "1.6 samples/s",
    )
    assert results["latency", "median"].low == results["latency", "median"].high
    assert results["latency", "std"].unit == "s"


def test_what_the_configuration_states():
    reading = benchmark()
    assert {path: fact.value for path, fact in reading.facts.items()} == {
        "framework.name": "torch",
        "framework.version": "2.6.0+cu124",
        "engine.name": "transformers",
        "engine.version": "4.48.0",
        "model.name": "meta-llama/Llama-3.1-8B",
        "model.revision": "0e9e39f249a16976918f6564b8830bc894c89659",
        "formats.compute": "bf16",
        "attention": "sdpa",
        "operation": "generation",
        "python": "3.11.9",
        "os": "Linux-6.8",
        "devices.0.name": "NVIDIA L4",
        "devices.1.name": "NVIDIA L4",
        "device": "NVIDIA L4",
        "backend": "cuda",
        "placement.devices": "2",
        "tool.name": "optimum-benchmark",
        "tool.version": "0.6.0",
        "seed": "42",
        "warmups": "5",
        "iterations": "10",
    }
    assert (
        reading.facts["engine.version"].address.path == "/config/environment/transformers_version"
    )
    assert reading.further["input_shapes"] == {"batch_size": 2, "sequence_length": 512}
    assert reading.observations[0].pointer.path.startswith("/report/load_model/")
    assert "maker_not_told" not in said(reading)


def test_the_sum_of_all_memory_is_a_trap_and_no_evidence():
    reading = benchmark()
    assert [told.text for told in reading.not_observed] == ["gpu_vram_mb 48305799168"]
    assert reading.capacities == ()


def test_one_device_is_no_sum():
    assert "summed_over_devices" not in said(benchmark("config/backend/device_ids", "1"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("config/environment/gpu", ["Advanced Micro Devices Inc. [AMD/ATI]"]),
        ("config/backend/version", "2.6.0+rocm6.2"),
    ],
)
def test_on_rocm_two_figures_are_left_aside(path, value):
    reading = benchmark(path, value)
    assert set(figures(reading)) == {
        f"{stage}.{name}"
        for stage in REPORT
        for name in ("max_ram", "max_reserved", "max_allocated")
    }
    assert "rocm_not_measured" in said(reading)
    assert reading.facts["backend"].value == "hip"


def test_another_engine_keeps_its_settings():
    document = {"config": copy.deepcopy(CONFIG), "report": REPORT}
    document["config"]["backend"] |= {
        "name": "vllm",
        "version": "0.8.5",
        "torch_dtype": None,
        "engine_args": {"dtype": "float16", "gpu_memory_utilization": 0.85},
    }
    facts = read(document).facts
    assert (facts["engine.name"].value, facts["engine.version"].value) == ("vllm", "0.8.5")
    assert facts["engine.settings.gpu_memory_utilization"].value == "0.85"
    assert facts["formats.compute"].value == "fp16"


def test_a_quantised_model_does_not_compute_in_its_dtype_alone():
    reading = benchmark("config/backend/quantization_config", {"quant_method": "bnb"})
    assert "formats.compute" not in reading.facts


def test_processes_that_were_put_together():
    assert "averaged_over_processes" in said(benchmark("config/launcher/name", "torchrun"))


def flat(document, front=""):
    for key, value in document.items():
        name = f"{front}{key}"
        if isinstance(value, dict):
            yield from flat(value, f"{name}.")
        else:
            yield name, value


def test_a_flat_file_says_the_same():
    one, other = benchmark(), read(dict(flat({"config": CONFIG, "report": REPORT})))
    assert figures(one) == figures(other)
    assert {k: f.value for k, f in one.facts.items()} == {
        k: f.value for k, f in other.facts.items()
    }
    assert other.observations[0].pointer.path == "/report.load_model.memory.max_ram"


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (CONFIG, "F424"),
        ({"config": CONFIG, "report": {}}, "F424"),
        ({}, "F429"),
        ([REPORT], "F429"),
        ({f"stage{n}": STAGE for n in range(300)}, "F429"),
        (changed("prefill/memory/unit", "GB", REPORT), "F429"),
        (changed("prefill/memory/max_ram", -1, REPORT), "F429"),
        (changed("prefill/memory/max_ram", "3301 MB", REPORT), "F429"),
    ],
)
def test_what_is_built_otherwise_is_refused(document, code):
    with pytest.raises(Refused, match=code):
        read(document)


def test_a_report_that_breaks_off_is_refused():
    with pytest.raises(Refused, match="F428"):
        MEMBER.read(json.dumps(REPORT).encode()[:-9], DIGEST)


@pytest.mark.parametrize(
    ("document", "score"),
    [
        (REPORT, 92),
        ({"config": CONFIG, "report": REPORT}, 92),
        (dict(flat(REPORT)), 92),
        ({"forward": {**STAGE, "memory": None}}, 92),
        ({"latency": {"mean": 1}}, 0),
    ],
)
def test_how_sure_it_is(document, score):
    assert MEMBER.accepts(json.dumps(document).encode(), "") == score


@given(st.data())
def test_damage_never_breaks_the_reader(data):
    text = bytearray(json.dumps({"config": CONFIG, "report": REPORT}).encode())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=4))
    try:
        reading = MEMBER.read(bytes(text), DIGEST)
    except Refused:
        return
    assert all(o.value.value >= 0 for o in reading.observations)
