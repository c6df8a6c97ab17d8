"""Logs of TensorRT-LLM (evidence_formats 6.3): the helper's units, budgets, the engine's file, failures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.serving import DAMAGE, everything, figures, invented, ranks, read, values

from fiche.importers.trtllm_log import MEMBER
from fiche.kernel.diagnostic import Refused

LOG = """\
[TensorRT-LLM] TensorRT-LLM version: 0.16.0
[TensorRT-LLM][INFO] TRTGptModel maxBatchSize: 64
[TensorRT-LLM][INFO] Loaded engine size: 13247 MiB
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 812.56 MiB for execution context memory.
[TensorRT-LLM][INFO] [MemUsageChange] TensorRT-managed allocation in IExecutionContext creation: CPU +0, GPU +0, \
now: CPU 0, GPU 13229 (MiB)
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 648.06 KB GPU memory for runtime buffers.
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 5.76 GB GPU memory for decoder.
[TensorRT-LLM][INFO] Memory usage when calculating max tokens in paged kv cache: total: 44.40 GiB, available: 29.70 GiB
[TensorRT-LLM][INFO] Number of blocks in KV cache primary pool: 1710
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 26.72 GiB for max tokens in paged KV cache (109440).
"""  # noqa: E501
PYTORCH = """\
[12/20/2025-04:21:50] [TRT-LLM] [RANK 1] [I] Memory used after loading model weights (inside torch) in memory usage \
profiling: 63.52 GiB
[12/20/2025-04:21:51] [TRT-LLM] [RANK 1] [I] Memory dynamically allocated during inference (inside torch) in memory \
usage profiling: 0.85 GiB
[12/20/2025-04:21:51] [TRT-LLM] [RANK 1] [I] Memory used outside torch (e.g., NCCL and CUDA graphs) in memory usage \
profiling: 49.28 GiB
[12/20/2025-04:21:51] [TRT-LLM] [RANK 1] [I] Peak memory during memory usage profiling (torch + non-torch): 113.65 GiB\
, available KV cache memory when calculating max tokens: 5.95 GiB, fraction is set 0.85, kv size is 73728. device \
total memory 119.70 GiB, , tmp kv_mem 0.56 GiB
[12/20/2025-04:21:51] [TRT-LLM] [RANK 1] [I] Estimated max memory in KV cache : 5.95 GiB
"""  # noqa: E501


def test_the_runtime():
    reading = read(MEMBER, LOG)
    assert values(reading, "trtllm.execution_context") == ["812.56 MiB"]
    assert values(reading, "trtllm.tensorrt_managed") == ["13229 MiB"]
    assert values(reading, "total_gpu_memory") == ["44.40 GiB"]
    assert values(reading, "trtllm.kv_cache_tokens") == [109440]
    assert values(reading, "trtllm.kv_cache_blocks") == [1710]
    assert reading.version == "0.16.0"
    assert reading.facts["engine.settings.maxBatchSize"].value == "64"


def test_the_helper_divides_by_1024():
    seen = {s.counter: s for s in read(MEMBER, LOG).observations}
    assert seen["trtllm.runtime_buffers"].value.unit_bytes == 1 << 10
    assert seen["trtllm.decoder"].value.unit_bytes == 1 << 30
    assert any(w.startswith("unit_label_is_binary") for w in read(MEMBER, LOG).warnings)


def test_an_engine_is_a_file():
    reading = read(MEMBER, LOG)
    assert [aside.text for aside in reading.not_observed] == ["Loaded engine size: 13247 MiB"]
    assert not any("13247" in s.value.text for s in reading.observations if s.value)


def test_the_pytorch_backend():
    reading = read(MEMBER, PYTORCH)
    assert values(reading, "trtllm.model_weights") == ["63.52 GiB"]
    assert values(reading, "trtllm.profile_peak") == ["113.65 GiB"]
    assert ranks(reading, "trtllm.profile_peak") == [1]
    assert values(reading, "trtllm.kv_cache_memory") == ["5.95 GiB", "5.95 GiB"]
    assert {seen.kind_of_origin for seen in reading.planned} == {"budget"}
    assert reading.capacities[0].value.text == "119.70 GiB"


@pytest.mark.parametrize(
    ("line", "counter", "value"),
    [
        ("Allocate 21474836480 bytes for k/v cache. ", "trtllm.kv_cache", "21474836480 bytes"),
        ("Using 132608 tokens in paged KV cache.", "trtllm.kv_cache_tokens", 132608),
        (
            "Max tokens in paged KV cache: 4096. Allocating 2147483648 bytes.",
            "trtllm.kv_cache",
            "2147483648 bytes",
        ),
        (
            "[MemUsageChange] Allocated 41.11 GiB for max tokens (524288)",
            "trtllm.kv_cache_tokens",
            524288,
        ),
    ],
)
def test_older_and_other_caches(line, counter, value):
    assert values(read(MEMBER, f"[TensorRT-LLM][INFO] {line}\n"), counter) == [value]


def test_failures():
    line = (
        "[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMallocAsync(ptr, n, mMemPool->getPool(), "
        "mCudaStream->get()): out of memory (/src/tllmBuffers.h:125)\n"
    )
    reading = read(MEMBER, line + line.replace("[ERROR] ", "[ERROR] TllmException: "))
    (failure,) = reading.failures
    assert (failure.message_kind, figures(failure)) == ("driver_oom", {})
    assert reading.duplicate_messages == 1
    line = (
        "[TRT] [E] 2: [defaultAllocator.cpp::allocate::31] Error Code 2: OutOfMemory (Requested size was "
        "17196646400 bytes.)\n"
    )
    (failure,) = read(MEMBER, line).failures
    assert failure.message_kind == "allocator_oom"
    assert figures(failure) == {"requested": (17196646400, 17196646400)}


def test_a_full_pool_is_no_lack_of_device_memory():
    line = "[TensorRT-LLM][ERROR] Assertion failed: Can't allocate new blocks. No free blocks left. (x.cpp:1)\n"
    (failure,) = read(MEMBER, line).failures
    assert failure.message_kind == "admission_check"


def test_other_logs_are_not_accepted():
    assert MEMBER.accepts(b"[TensorRT-LLM][INFO] Engine loaded\n", "x.log") == 0
    assert MEMBER.accepts(b"Allocated 5.76 GB GPU memory for decoder.\n", "x.log") == 0
    assert MEMBER.accepts(LOG.encode(), "x.log") == 80
    with pytest.raises(Refused, match="F424"):
        read(MEMBER, "[TensorRT-LLM][INFO] Engine loaded\n")


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("text", [LOG, PYTORCH], ids=["runtime", "pytorch"])
def test_damage_changes_no_figure(text, damage):
    assert everything(read(MEMBER, DAMAGE[damage](text))) == everything(read(MEMBER, text))


@pytest.mark.parametrize("columns", range(72, 132, 5))
def test_wraps_invent_no_figure(columns):
    for text in [LOG, PYTORCH]:
        assert invented(MEMBER, text, columns) == []


@given(st.data())
def test_mutations_never_break_the_reader(data):
    text = bytearray((LOG + PYTORCH).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    try:
        reading = MEMBER.read(bytes(text), "ab" * 32)
    except Refused:
        return
    assert not reading.failures
