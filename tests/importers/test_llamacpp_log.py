"""Logs of llama.cpp from 2023 to 2026 (evidence_formats 6.4, 1.3): buffers, sums, tables, failures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.serving import DAMAGE, everything, figures, invented, read, values

from fiche.importers._llamacpp_facts import storage
from fiche.importers.llamacpp_log import MEMBER
from fiche.kernel.diagnostic import Refused

MIB = 1 << 20

NEW = """\
build: 7315 (0a1b2c3d) with GNU 13.3.0 for Linux x86_64
ggml_cuda_init: found 2 CUDA devices (Total VRAM: 48160 MiB):
  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes, VRAM: 24080 MiB
llama_model_load_from_file_impl: using device CUDA1 (NVIDIA GeForce RTX 4090) (0000:01:00.0) - 23700 MiB free
print_info: file type   = Q4_K - Medium
print_info: file size   = 38.64 GiB (4.71 BPW)
load_tensors: offloaded 20/49 layers to GPU
load_tensors:        CUDA0 model buffer size = 11826.45 MiB
load_tensors:    CUDA_Host model buffer size =   680.00 MiB
llama_context: n_ctx         = 150272
llama_kv_cache:      CUDA0 KV buffer size = 12327.00 MiB
llama_kv_cache: size = 12327.00 MiB (150272 cells,  40 layers,  1/1 seqs), K (q8_0): 6163.50 MiB, V (q4_0): 6163.50 MiB
llama_context:      CUDA0 compute buffer size =  3277.57 MiB
"""  # noqa: E501
OLD = """\
llm_load_print_meta: model size       = 4.58 GiB (4.89 BPW)
llm_load_tensors:        CPU buffer size =   281.81 MiB
llm_load_tensors:      ROCm0 buffer size =  4403.50 MiB
llama_kv_cache_init:      ROCm0 KV buffer size =  1024.00 MiB
llama_new_context_with_model: KV self size  = 1024.00 MiB, K (f16):  512.00 MiB, V (f16):  512.00 MiB
llama_new_context_with_model:  ROCm_Host  output buffer size =     0.49 MiB
"""
TABLE = """\
memory_breakdown_print: | memory breakdown [MiB]        | total   free     self   model   context   compute    unaccounted |
memory_breakdown_print: |   - CUDA0 (RTX 4090)          | 24080 = 9127 + (14502 = 13169 +     768 +     565) +         451 |
memory_breakdown_print: |   - Vulkan1 (RX (RADV NAVI))  | 16304 =  804 + (15000 = 13169 +    1266 +     565) +         500 |
memory_breakdown_print: |   - Host                      |                  1310 =  1250 +       0 +      60                |
"""  # noqa: E501
FAILED = """\
load_tensors: loading model tensors, this can take a while... (mmap = true)
ggml_backend_cuda_buffer_type: allocating 38147.22 MiB on device 1: cudaMalloc failed: out of memory
alloc_tensor_range: failed to allocate {}1 buffer of size 40000259072
llama_model_load: error loading model: unable to allocate {}1 buffer
"""
COMPUTE = """\
ggml_backend_cuda_buffer_type: allocating 12710.31 MiB on device 0: cudaMalloc failed: out of memory
ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 13327728640
graph_reserve: failed to allocate compute buffers
"""
RETRIED = (
    COMPUTE
    + """\
llama_context: compute buffer allocation failed, retrying without pipeline parallelism
llama_context:      CUDA0 compute buffer size =  3277.57 MiB
"""
)


def of(reading, counter):
    return {s.marks.get("buffer"): s for s in reading.observations if s.counter == counter}


def test_buffers_by_device():
    reading = read(MEMBER, NEW)
    models = of(reading, "llamacpp.model_buffer")
    assert {name: seen.device_index for name, seen in models.items()} == {
        "CUDA0": 0,
        "CUDA_Host": None,
    }
    assert values(reading, "device_free") == ["23700 MiB"]
    assert values(reading, "total_gpu_memory") == ["24080 MiB"]
    assert reading.capacities[0].device_name == "NVIDIA GeForce RTX 4090"
    facts = {path: fact.value for path, fact in reading.facts.items()}
    assert facts["engine.version"] == "b7315"
    assert facts["formats.storage"] == "q4_k_m"
    assert (facts["formats.cache_key"], facts["formats.cache_value"]) == ("q8_0", "q4_0")
    assert "formats.cache" not in facts
    assert facts["placement.resident"] == "offload"
    assert facts["device"] == facts["devices.1.name"] == "NVIDIA GeForce RTX 4090"
    assert facts["engine.settings.n_ctx"] == "150272"


def test_sums_count_once():
    reading = read(MEMBER, OLD)
    assert values(reading, "llamacpp.kv_buffer") == ["1024.00 MiB"]
    assert [aside.text for aside in reading.not_observed] == [
        "model size       = 4.58 GiB",
        "KV self size  = 1024.00 MiB",
    ]
    assert reading.backend == "rocm"
    assert reading.facts["formats.cache"].value == "fp16"


def test_a_sum_stands_for_buffers_that_no_line_lists():
    line = "llama_new_context_with_model: kv self size  =  256.00 MB\n"
    (seen,) = read(MEMBER, line).observations
    assert (seen.counter, seen.value.value) == ("llamacpp.kv_buffer", 256 * MIB)


def test_a_transposed_cache_of_ik_llama():
    line = (
        "llama_kv_cache_init:     CUDA11 KV buffer size =   144.00 MiB\n"
        "llama_new_context_with_model: KV self size  = 144.00 MiB, c^KV (f16): 144.00 MiB, kv^T: not used\n"
    )
    (seen,) = read(MEMBER, line).observations
    assert seen.device_index == 11


@pytest.mark.parametrize(
    ("line", "counter", "mib"),
    [
        ("llama_model_load_internal: VRAM used: 4633 MB", "llamacpp.vram_model", 4633),
        ("llm_load_tensors: VRAM used           = 3577.50 MiB", "llamacpp.vram_model", 3577.5),
        ("llama_new_context_with_model: VRAM scratch buffer: 152.50 MiB", "llamacpp.vram_scratch", 152.5),
        ("llama_new_context_with_model: total VRAM used: 8194.00 MiB (model: 7048.14 MiB)",
         "llamacpp.vram_total", 8194),
        ("llama_new_context: compute buffer total size =  153.50 MB", "llamacpp.compute_buffer", 153.5),
        ("llama_memory_recurrent:      CUDA0 RS buffer size =    62.50 MiB", "llamacpp.rs_buffer", 62.5),
        ("llama_kv_cache_init:      CUDA0 KV buffer size =   144,50 MiB", "llamacpp.kv_buffer", 144.5),
    ],
)  # fmt: skip
def test_other_lines(line, counter, mib):
    (seen,) = read(MEMBER, f"{line}\n").observations
    assert (seen.counter, seen.value.value) == (counter, int(mib * MIB))


def test_what_is_computed_is_no_observation():
    text = (
        "llm_load_tensors: mem required  = 5407.72 MB (+ 1026.00 MB per state)\n"
        "fit_impl: projected to use 2059 MiB of device memory vs. 7144 MiB of free device memory\n"
        "fit_impl: cannot meet free memory target of 1024 MiB, need to reduce device memory by 12 MiB\n"
    )
    reading = read(MEMBER, text)
    assert not reading.observations
    assert [seen.kind_of_origin for seen in reading.planned] == ["estimated", "estimated"]
    assert len(reading.not_observed) == 1


def test_names_of_types():
    assert storage("Q4_K - Medium") == "q4_k_m"
    assert storage("Q3_K - Large") == "q3_k_l"
    assert storage("Q2_K - Medium") == "q2_k"
    assert storage("Q8_0") == "q8_0"
    assert storage("all F32") == "fp32"
    assert storage("BF16") == "bf16"
    assert storage("IQ4_XS - 4.25 bpw") == "iq4_xs"


# --- The table ------------------------------------------------------------------------------------


def test_a_state():
    reading = read(MEMBER, TABLE)
    assert values(reading, "llamacpp.self") == ["14502 MiB", "15000 MiB", "1310 MiB"]
    assert values(reading, "device_unaccounted") == ["451 MiB", "500 MiB"]
    assert [s.scope for s in reading.observations if s.counter == "llamacpp.self"][
        -1
    ] == "host_process"
    assert {s.value.rounding for s in reading.observations} == {"floor-0-digits"}
    assert not reading.planned


def test_a_projection_is_no_state():
    text = TABLE.replace("9127 + (14502", "9927 + (14502").replace(
        "         451 |", "        -349 |"
    )
    reading = read(MEMBER, text)
    assert {seen.counter for seen in reading.observations} == {"total_gpu_memory", "device_free"}
    assert {seen.kind_of_origin for seen in reading.planned} == {"estimated"}
    assert any(warning.startswith("projection") for warning in reading.warnings)


def test_an_unsigned_difference_is_left_out():
    text = TABLE.replace("9127 + (14502", "9927 + (14502").replace(
        "         451 |", "17592186044067 |"
    )
    reading = read(MEMBER, text)
    assert any(warning.startswith("underflow") for warning in reading.warnings)
    assert "unaccounted 17592186044067" in [aside.text for aside in reading.not_observed]
    assert max(s.value.high for s in (*reading.observations, *reading.planned)) < 1 << 40


def test_memory_that_spilled_to_the_host():
    """The free memory underflowed, what is held is real."""
    row = "| 16304 = 17592186039468 + (21233 = 18856 +    1837 +     540) +          17 |"
    text = TABLE.replace(TABLE.splitlines()[2].partition(")) ")[2].lstrip(), row)
    reading = read(MEMBER, text)
    assert "21233 MiB" in values(reading, "llamacpp.self")
    assert values(reading, "device_free") == ["9127 MiB"]
    assert not reading.planned


# --- Failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "backend"), [("CUDA", "cuda"), ("ROCm", "rocm")])
def test_one_failure_told_twice(name, backend):
    reading = read(MEMBER, FAILED.format(name, name))
    (failure,) = reading.failures
    assert figures(failure) == {"requested": (40000259072, 40000259072)}
    assert (failure.component, failure.device_index, failure.backend) == ("model", 1, backend)
    assert (failure.pointer.line, failure.recovered) == (2, None)
    assert reading.duplicate_messages == 1
    assert not reading.observations


def test_a_compute_buffer_that_was_tried_again():
    (failure,) = read(MEMBER, RETRIED).failures
    assert (failure.component, failure.recovered) == ("compute", True)
    (failure,) = read(MEMBER, COMPUTE).failures
    assert (failure.component, failure.recovered) == ("compute", None)


def test_a_retry_that_fails_as_well():
    second = COMPUTE.replace("12710.31", "9000.00").replace("13327728640", "9437184000")
    text = RETRIED.rsplit("\n", 2)[0] + "\n" + second
    first, last = read(MEMBER, text).failures
    assert (first.recovered, last.recovered) == (None, None)


def test_the_same_amount_on_another_attempt_is_another_failure():
    reading = read(MEMBER, COMPUTE * 3)
    assert len(reading.failures) == 3
    assert reading.duplicate_messages == 3


def test_a_cache_that_does_not_fit():
    text = (
        "ggml_backend_cuda_buffer_type: allocating 32768.00 MiB on device 0: cudaMalloc failed: out "
        "of memory\nalloc_tensor_range: failed to allocate CUDA0 buffer of size 34359738368\n"
        "llama_kv_cache_init: failed to allocate buffer for kv cache\n"
    )
    (failure,) = read(MEMBER, text).failures
    assert failure.component == "kv_cache"


@pytest.mark.parametrize(
    ("text", "kind", "memory"),
    [
        ("ggml_vulkan: Device memory allocation of size 1073741824 failed.\nggml_vulkan: Requested buffer size "
         "exceeds device memory allocation limit: ErrorOutOfDeviceMemory\n", "allocation_size_limit", "device"),
        ("ggml_vulkan: Device memory allocation of size 1073741824 failed.\n", "allocator_oom", "device"),
        ("ggml_metal_buffer_init: error: failed to allocate buffer, size = 8192.00 MiB\n",
         "allocator_oom", "unified"),
        ("ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 4294967296\n",
         "allocator_oom", "host"),
        ("llama_model_load: error loading model: unable to allocate CUDA0 buffer\n", "driver_oom", "device"),
        ("error: llama runner has terminated: cudaMalloc failed: out of memory\n", "driver_oom", "device"),
    ],
)  # fmt: skip
def test_other_failures(text, kind, memory):
    (failure,) = read(MEMBER, text).failures
    assert (failure.message_kind, failure.memory) == (kind, memory)


def test_a_message_that_breaks_off():
    reading = read(MEMBER, COMPUTE.partition("ory")[0])
    (failure,) = reading.failures
    assert failure.truncated
    assert any(warning.startswith("truncated") for warning in reading.warnings)


def test_another_error_of_the_driver_is_no_lack():
    with pytest.raises(Refused, match="F424"):
        read(MEMBER, COMPUTE.splitlines()[0].replace("out of memory", "invalid device ordinal"))


def test_a_wrapper_repeats():
    text = FAILED.format("CUDA", "CUDA") + "Error: cudaMalloc failed: out of memory\n"
    reading = read(MEMBER, text)
    assert (len(reading.failures), reading.duplicate_messages) == (1, 2)


def test_pinned_memory_is_no_failure():
    text = (
        "ggml_cuda_host_malloc: failed to allocate 1900.00 MiB of pinned memory: invalid argument\n"
    )
    reading = read(MEMBER, text + NEW)
    assert not reading.failures


# --- Damage ---------------------------------------------------------------------------------------

# Prefixes with a colon or a bar of their own, and texts that a JSON string carries.
TEXTS = {
    "new": NEW,
    "old": OLD,
    "table": TABLE,
    "failed": FAILED.format("CUDA", "CUDA"),
    "retried": RETRIED,
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("text", TEXTS)
def test_damage_changes_no_figure(text, damage):
    assert everything(read(MEMBER, DAMAGE[damage](TEXTS[text]))) == everything(
        read(MEMBER, TEXTS[text])
    )


def test_several_runs_in_one_file():
    reading = read(MEMBER, NEW + OLD)
    assert [s.device_index for s in reading.observations if s.counter == "llamacpp.kv_buffer"] == [
        0,
        0,
    ]
    assert any(warning.startswith("facts_differ") for warning in reading.warnings)


def test_other_logs_are_not_accepted():
    assert MEMBER.accepts(b"CUDA error: out of memory\n", "x.log") == 0
    assert (
        MEMBER.accepts(b"RuntimeError: CUDA error: out of memory\nbuffer size = big\n", "x.log")
        == 0
    )
    assert MEMBER.accepts(NEW.encode(), "x.log") == 80


@pytest.mark.parametrize("columns", range(72, 132, 5))
def test_wraps_invent_no_figure(columns):
    for text in list(TEXTS.values()):
        assert invented(MEMBER, text, columns) == []


@given(st.data())
def test_mutations_never_break_the_reader(data):
    text = bytearray("".join(TEXTS.values()).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    try:
        reading = MEMBER.read(bytes(text), "ab" * 32)
    except Refused:
        return
    assert not any(seen.stat == "need" for seen in reading.observations)
