"""Logs of vLLM of every version that evidence_formats 6.1 names: figures, budgets, refusals, damage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.serving import DAMAGE, everything, figures, invented, ranks, read, told, values

from fiche.importers.vllm_log import MEMBER
from fiche.kernel.diagnostic import Refused

GIB = 1 << 30

V1 = """\
(APIServer pid=1) INFO 11-04 07:40:02 [api_server.py:1839] vLLM API server version 0.11.0
(EngineCore_DP0 pid=391) INFO 11-04 07:41:00 [core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: \
model='Qwen/Qwen3-8B', speculative_config=None, tokenizer='Qwen/Qwen3-8B', revision=None, \
dtype=torch.bfloat16, max_seq_len=40960, tensor_parallel_size=2, pipeline_parallel_size=1, \
quantization=None, enforce_eager=False, \
kv_cache_dtype=fp8, device_config=cuda, seed=0
(Worker_TP0 pid=500) INFO 11-04 07:41:15 [runner.py:2653] Model loading took 7.6065 GiB and 3.184 seconds
(Worker_TP1 pid=501) INFO 11-04 07:41:15 [runner.py:2653] Model loading took 7.6065 GiB and 3.184 seconds
(Worker_TP0 pid=500) INFO 11-04 07:41:35 [gpu_worker.py:298] Available KV cache memory: 6.05 GiB
(EngineCore_DP0 pid=391) INFO 11-04 07:41:36 [kv_cache_utils.py:1087] GPU KV cache size: 92,144 tokens
(EngineCore_DP0 pid=391) INFO 11-04 07:41:36 [k.py:9] Maximum concurrency for 40,960 tokens per request: 2.25x
(Worker_TP1 pid=501) INFO 11-04 07:41:45 [r.py:3480] Graph capturing finished in 23 secs, took 0.53 GiB
"""
V0 = """\
INFO 01-14 10:02:26 model_runner.py:1099] Loading model weights took 12.5523 GB
INFO 01-14 10:02:41 worker.py:241] Memory profiling takes 11.86 seconds
INFO 01-14 10:02:41 worker.py:241] the current vLLM instance can use total_gpu_memory (23.64GiB) x \
gpu_memory_utilization (0.90) = 21.28GiB
INFO 01-14 10:02:41 worker.py:241] model weights take 12.55GiB; non_torch_memory takes 0.21GiB; PyTorch \
activation peak memory takes 1.64GiB; the rest of the memory reserved for KV Cache is 6.88GiB.
INFO 01-14 10:02:42 executor_base.py:111] # cuda blocks: 6871, # CPU blocks: 4096
INFO 01-14 10:02:42 executor_base.py:116] Maximum concurrency for 16384 tokens per request: 6.71x
"""
STARTUP = """\
(Worker_TP0 pid=5) INFO 08-20 12:40:02 [gpu_worker.py:1066] Free memory on device (23.2/23.56 GiB) on startup. \
Desired GPU memory utilization is (0.92, 21.68 GiB). Actual usage is 15.3 GiB for consumed memory (weights + \
non-torch), 1.2 GiB for peak activation, and 0.5 GiB for CUDAGraph memory. Replace \
gpu_memory_utilization config with `--kv-cache-memory=4831838208` (4.5 GiB) to fit into requested memory.
"""
REFUSED = """\
(EngineCore pid=311) ERROR 08-20 12:40:02 [core.py:1108] ValueError: Free memory on device cuda:1 (11.87/23.56 \
GiB) on startup is less than desired GPU memory utilization (0.92, 21.68 GiB). Decrease GPU memory utilization
"""


def readings():
    return [V1, V0, STARTUP, REFUSED]


# --- Versions -------------------------------------------------------------------------------------


def test_the_first_engine():
    reading = read(MEMBER, V0)
    assert values(reading, "vllm.model_weights") == ["12.5523 GB", "12.55GiB"]
    assert values(reading, "total_gpu_memory") == ["23.64GiB"]
    assert values(reading, "vllm.gpu_blocks") == [6871]
    assert [seen.kind_of_origin for seen in reading.planned] == ["budget"] * 3
    assert any(warning.startswith("unit_label_is_binary") for warning in reading.warnings)
    assert reading.capacities[0].counter == "cuda_total_other"
    assert reading.shape == "v0-0.6"


def test_the_second_engine():
    reading = read(MEMBER, V1)
    assert ranks(reading, "vllm.model_weights") == ["TP0", "TP1"]
    assert ranks(reading, "vllm.kv_cache_tokens") == [None]
    assert values(reading, "vllm.kv_cache_tokens") == [92144]
    assert reading.planned[-1].marks == {"at_tokens": 40960}
    assert reading.version == "0.11.0"
    assert reading.shape == "v1-0.11"
    facts = {path: fact.value for path, fact in reading.facts.items()}
    assert facts["model.name"] == "Qwen/Qwen3-8B"
    assert facts["placement.tensor_parallel"] == "2"
    assert (facts["formats.compute"], facts["formats.cache"]) == ("bf16", "fp8_e4m3")
    assert facts["engine.settings.max_model_len"] == "40960"
    assert reading.facts["engine.version"].address.line == 1


@pytest.mark.parametrize(
    ("line", "text", "digits"),
    [
        ("Loading model weights took 14.9614 GB", "14.9614 GB", 4),
        ("Model loading took 15.4137 GB and 9.03 seconds", "15.4137 GB", 4),
        ("Model loading took 15.3400 GiB memory and 9.03 seconds", "15.3400 GiB", 4),
        ("Model loading took 15.3 GiB memory and 9.03 seconds", "15.3 GiB", 2),
        ("Model loading took 2.0 GiB and 9.03 seconds", "2.0 GiB", 2),
    ],
)
def test_dropped_zeros_do_not_widen_the_step(line, text, digits):
    (seen,) = read(MEMBER, f"INFO 11-04 07:41:15 [runner.py:1] {line}\n").observations
    assert seen.value.text == text
    assert seen.value.rounding == f"nearest-{digits}-digits"
    assert seen.value.unit_bytes == GIB
    assert seen.value.high - seen.value.low <= GIB // 10**digits + 1


def test_loading_weights_in_seconds_is_no_memory():
    with pytest.raises(Refused, match="F424"):
        read(MEMBER, "INFO 05-19 [loader.py:458] Loading weights took 2.71 seconds\n")


def test_the_account_after_start():
    reading = read(MEMBER, STARTUP)
    assert values(reading, "device_free") == ["23.2 GiB"]
    assert values(reading, "vllm.consumed_memory") == ["15.3 GiB"]
    (peak,) = [s for s in reading.observations if s.counter == "vllm.activation_peak"]
    assert peak.marks == {"includes_estimate": True}
    texts = [aside.text for aside in reading.not_observed]
    assert texts[0] == "(0.92, 21.68 GiB)"
    assert not reading.failures


def test_profiles_of_0_6_4():
    line = (
        "INFO 11-13 10:00:00 worker.py:203] Memory profiling results: total_gpu_memory=23.64GiB "
        "initial_memory_usage=5.26GiB peak_torch_memory=6.14GiB memory_usage_post_profile=5.44GiB "
        "non_torch_memory=0.42GiB kv_cache_size=14.71GiB gpu_memory_utilization=0.90\n"
    )
    reading = read(MEMBER, line)
    assert values(reading, "vllm.non_torch_memory") == ["0.42GiB"]
    assert values(reading, "vllm.torch_peak") == ["6.14GiB"]
    assert [told(seen)[0] for seen in reading.planned] == ["vllm.kv_cache_memory"]


def test_one_line_for_tokens_and_concurrency():
    line = (
        "(EngineCore pid=7) INFO 08-20 12:40:02 [kv.py:1] GPU KV cache size: 66,048 tokens, "
        "Maximum concurrency for 32,768 tokens per request: 2.02x\n"
    )
    reading = read(MEMBER, line)
    assert values(reading, "vllm.kv_cache_tokens") == [66048]
    assert [float(n) for n in values(reading, "vllm.max_concurrency")] == [2.02]


def test_graphs_estimated_and_measured():
    line = (
        "(Worker_TP1 pid=7) INFO 08-20 12:40:02 [w.py:1] CUDA graph pool memory: 0.41 GiB (actual), 0.3 GiB "
        "(estimated), difference: 0.11 GiB (26.8%).\n"
    )
    reading = read(MEMBER, line)
    assert [told(s)[0] for s in reading.observations] == ["vllm.cuda_graphs"]
    assert [s.kind_of_origin for s in reading.planned] == ["estimated"]


@pytest.mark.parametrize(
    ("front", "rank"),
    [
        ("(Worker_TP0 pid=712) INFO", "TP0"),
        ("(Worker_DP1_TP0_EP0 pid=712) INFO", "DP1_TP0_EP0"),
        ("(Worker_PP0_PCP1_TP1 pid=712) INFO", "PP0_PCP1_TP1"),
        ("(VllmWorker TP1 pid=712) INFO", "TP1"),
        ("(VllmWorker rank=1 pid=712) INFO", 1),
        ("(VllmWorkerProcess pid=712) INFO", "worker pid=712"),
        ("(RayWorkerWrapper pid=712, ip=10.0.0.2) INFO", "worker pid=712"),
        ("(EngineCore_DP0 pid=712) INFO", None),
        ("INFO", None),
    ],
)
def test_who_speaks(front, rank):
    line = (
        f"{front} 03-22 09:30:11 [runner.py:1] Model loading took 3.1 GiB memory and 2.9 seconds\n"
    )
    assert [seen.rank for seen in read(MEMBER, line).observations] == [rank]


def test_several_engine_cores_are_told_apart():
    line = "(EngineCore_DP{} pid=7{}) INFO 03-22 09:30:11 [kv.py:1] GPU KV cache size: {} tokens\n"
    reading = read(MEMBER, line.format(0, 0, "8,192") + line.format(1, 1, "8,208"))
    assert ranks(reading, "vllm.kv_cache_tokens") == ["DP0", "DP1"]


# --- Refusals -------------------------------------------------------------------------------------


def test_a_refusal_is_no_need():
    reading = read(MEMBER, REFUSED)
    (failure,) = reading.failures
    assert failure.message_kind == "admission_check"
    assert failure.device_index == 1
    assert set(figures(failure)) == {"total_capacity", "free"}
    assert not reading.observations
    assert reading.shape == "admission-refused"


@pytest.mark.parametrize(
    ("line", "plans"),
    [
        ("No available memory for the cache blocks. Try increasing `gpu_memory_utilization`", []),
        (
            "The model's max seq len (131072) is larger than the maximum number of tokens that can be "
            "stored in KV cache (34992). Try increasing",
            ["vllm.kv_cache_tokens"],
        ),
        (
            "To serve at least one request with the models's max seq len (131072), (16.00 GB KV cache is "
            "needed, which is larger than the available KV cache memory (4.68 GB). Try",
            ["vllm.kv_cache_one_request", "vllm.kv_cache_memory"],
        ),
        (
            "To serve at least one request with the model's max seq len (131072), (16.0 GiB KV cache is "
            "needed, which is larger than the available KV cache memory (4.68 GiB). Based on",
            ["vllm.kv_cache_one_request", "vllm.kv_cache_memory"],
        ),
        ("Free memory on device (11.87/23.56 GiB) on startup is less than desired GPU memory "
         "utilization (0.9, 21.2 GiB).", []),
        ("Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single token.", []),
        ("Error in memory profiling. Initial free memory 21.1 GiB, current free memory 22.0 GiB.", []),
    ],
)  # fmt: skip
def test_refusals(line, plans):
    reading = read(
        MEMBER, f"(EngineCore_DP0 pid=9) ERROR 11-04 07:41:22 [core.py:708] ValueError: {line}\n"
    )
    (failure,) = reading.failures
    assert (failure.message_kind, failure.memory, failure.rank) == (
        "admission_check",
        "device",
        None,
    )
    assert [seen.counter for seen in reading.planned] == plans
    assert not reading.observations


def test_host_memory_for_swapping():
    line = "ValueError: Too large swap space. 64.00 GiB out of the 62.71 GiB total CPU memory is allocated\n"
    (failure,) = read(MEMBER, line).failures
    assert failure.memory == "host"
    assert figures(failure)["requested"][0] < 64 * GIB < figures(failure)["requested"][1]


def test_a_refusal_and_its_traceback_are_one():
    line = "(EngineCore pid=9) ValueError: No available memory for the cache blocks. Try\n"
    reading = read(MEMBER, line + line)
    assert (len(reading.failures), reading.duplicate_messages) == (1, 1)


def test_a_new_start_refuses_anew():
    start = "INFO 11-04 07:40:02 [api_server.py:1839] vLLM API server version 0.11.0\n"
    line = "ValueError: No available memory for the cache blocks. Try\n"
    reading = read(MEMBER, start + line + start + line)
    assert (len(reading.failures), reading.duplicate_messages) == (2, 0)


def test_each_worker_refuses_for_its_own_device():
    line = (
        "(Worker_TP{0} pid=9{0}) ValueError: Free memory on device cuda:{0} (1{0}.87/23.56 GiB) on startup "
        "is less than desired GPU memory utilization (0.92, 21.68 GiB). Decrease\n"
    )
    reading = read(MEMBER, line.format(0) + line.format(1))
    assert [failure.device_index for failure in reading.failures] == [0, 1]


@pytest.mark.parametrize(
    "line",
    [
        REFUSED.partition("memory utilization")[0],
        "ValueError: To serve at least one request with the model's max seq len (131072), (16.0 GiB KV ca",
    ],
)
def test_a_message_that_breaks_off(line):
    reading = read(MEMBER, line)
    assert [failure.truncated for failure in reading.failures] == [True]
    assert any(warning.startswith("truncated") for warning in reading.warnings)
    assert not reading.planned


# --- Damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("text", readings(), ids=["v1", "v0", "startup", "refused"])
def test_damage_changes_no_figure(text, damage):
    assert everything(read(MEMBER, DAMAGE[damage](text))) == everything(read(MEMBER, text))


@pytest.mark.parametrize("columns", [78, 100, 120])
@pytest.mark.parametrize("text", [STARTUP, REFUSED], ids=["startup", "refused"])
def test_hard_wraps(text, columns):
    wrapped = "\n".join(text[at : at + columns] for at in range(0, len(text) - 1, columns))
    assert everything(read(MEMBER, wrapped)) == everything(read(MEMBER, text))


@pytest.mark.parametrize("columns", [72, 80, 100])
def test_wrapped_ranks_one_after_another(columns):
    line = (
        "(Worker_TP{0} pid=71{0}) INFO 03-22 09:30:11 [gpu_model_runner.py:4879] Model loading took 12.41 "
        "GiB memory and 29.804112 seconds"
    )
    lines = [line.format(rank) for rank in (0, 1)]
    wrapped = [text[at : at + columns] for text in lines for at in range(0, len(text), columns)]
    reading = read(MEMBER, "\n".join(wrapped))
    assert values(reading, "vllm.model_weights") == ["12.41 GiB", "12.41 GiB"]
    assert ranks(reading, "vllm.model_weights") == ["TP0", "TP1"]


def test_long_series_stay_bounded():
    line = "INFO 11-04 07:41:15 [w.py:1] Sleep mode freed 10.00 GiB memory, {} GiB memory is still in use.\n"
    reading = read(MEMBER, "".join(line.format(f"{n}.25") for n in range(500)))
    assert len(reading.observations) == 201
    assert reading.further["series"] == {"vllm.device_used": 500}


def test_other_logs_are_not_accepted():
    assert MEMBER.accepts(b"INFO took the blocks: 3\nFree memory on device\n", "x.log") == 0
    assert MEMBER.accepts(V1.encode(), "x.log") == 80


@pytest.mark.parametrize("columns", range(72, 132, 5))
def test_wraps_invent_no_figure(columns):
    for text in readings():
        assert invented(MEMBER, text, columns) == []


@given(st.data())
def test_mutations_never_break_the_reader(data):
    text = bytearray("".join(readings()).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    try:
        reading = MEMBER.read(bytes(text), "ab" * 32)
    except Refused:
        return
    assert all(seen.kind_of_origin in {"measured"} for seen in reading.observations)


def test_the_platform_names_the_backend():
    text = "INFO 08-20 12:40:01 [__init__.py:1] Automatically detected platform rocm.\n" + REFUSED
    reading = read(MEMBER, text)
    assert (reading.backend, reading.failures[0].backend) == ("rocm", "rocm")
    assert reading.facts["backend"].value == "hip"
    assert "backend" not in read(MEMBER, REFUSED).facts


def test_the_environment_in_front_of_a_log():
    text = (
        "PyTorch version: 2.5.1+cu124\nPython version: 3.11.7 (main) [GCC 11.4.0] (64-bit runtime)\n"
        "GPU 0: NVIDIA H100 80GB HBM3\nGPU 1: NVIDIA H100 80GB HBM3\nNvidia driver version: 550.54.15\n"
        "vLLM Version: 0.6.3.post1\n"
    )
    assert MEMBER.accepts(text.encode(), "x.log") == 0
    facts = {path: fact.value for path, fact in read(MEMBER, text + V0).facts.items()}
    assert facts["framework.version"] == "2.5.1+cu124"
    assert facts["driver"] == "550.54.15"
    assert facts["devices.1.name"] == facts["device"] == "NVIDIA H100 80GB HBM3"
    assert facts["engine.version"] == "0.6.3.post1"


def test_the_banner_of_new_versions():
    banner = " ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.33.0\n  █▄█▀ █     █     █     █  model   Qwen/Qwen3-8B\n"
    facts = {path: fact.value for path, fact in read(MEMBER, banner + REFUSED).facts.items()}
    assert (facts["engine.version"], facts["model.name"]) == ("0.33.0", "Qwen/Qwen3-8B")
