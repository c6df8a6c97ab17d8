"""Several starts of a server in one log, and several servers: readings and facts are told apart (C13)."""

from fiche.importers._detect import read as detected
from fiche.importers._vocabulary import observation_json
from fiche.kernel.series import series

DIGEST = "ab" * 32


def start(length, share, took="30.5902", front="", day="04"):
    """The first lines of vLLM 0.11.0, and one reading."""
    return (
        f"{front}INFO 11-{day} 07:30:00 [__init__.py:216] Automatically detected platform cuda.\n"
        f"{front}(APIServer pid=1) INFO 11-{day} 07:30:04 [api_server.py:1839] vLLM API server version 0.11.0\n"
        f"{front}(APIServer pid=1) INFO 11-{day} 07:30:04 [utils.py:233] non-default args: {{'model': "
        f"'Qwen/Qwen3-32B', 'max_model_len': {length}, 'gpu_memory_utilization': {share}}}\n"
        f"{front}(Worker_TP0 pid=391) INFO 11-{day} 07:30:41 [gpu_model_runner.py:2653] Model loading took "
        f"{took} GiB and 19.1 seconds\n"
        f"{front}(EngineCore_DP0 pid=271) INFO 11-{day} 07:31:16 [kv_cache_utils.py:1087] GPU KV cache size: "
        f"330,048 tokens\n"
    )


def read(text):
    return detected(text.encode(), DIGEST)


def differ(reading):
    return [text for text in reading.warnings if text.startswith("facts_differ: ")]


def test_every_fact_that_differs_is_named_with_the_line_of_each_start():
    reading = read(start(32768, 0.95) + "x\n" + start(16384, 0.85, day="05"))
    (told,) = differ(reading)
    assert "2 starts of a program are in this file (line 1, line 7)" in told
    assert "engine.settings.max_model_len is 32768, then 16384" in told
    assert "engine.settings.gpu_memory_utilization is 0.95, then 0.85" in told
    assert "backend" not in told
    assert reading.facts["engine.settings.max_model_len"].value == "32768"


def test_a_fact_of_one_start_is_none_of_the_file():
    other = start(32768, 0.95).replace("Qwen/Qwen3-32B", "Qwen/Qwen3-8B")
    reading = read(start(32768, 0.95) + other)
    assert "model.name" not in reading.facts
    assert reading.facts["engine.version"].value == "0.11.0"
    assert "model.name is Qwen/Qwen3-32B, then Qwen/Qwen3-8B" in differ(reading)[0]


def test_readings_say_of_which_start_they_are():
    reading = read(start(32768, 0.95) + start(16384, 0.85))
    assert [seen.marks["start"] for seen in reading.observations] == [1, 2]
    assert [seen.marks["start"] for seen in reading.planned] == [1, 2]
    assert len(series(("", seen) for seen in reading.observations)) == 2
    assert observation_json(reading.observations[1])["start"] == 2


def test_one_start_needs_no_number():
    reading = read(start(32768, 0.95))
    assert all("start" not in seen.marks for seen in (*reading.observations, *reading.planned))
    assert not differ(reading)


def test_the_same_settings_again_are_two_starts_and_no_difference():
    reading = read(start(32768, 0.95) * 2)
    assert not differ(reading)
    assert any(text.startswith("several_starts: 2 starts") for text in reading.warnings)


def test_a_banner_of_two_lines_is_one_start():
    banner = "INFO 11-04 07:30:05 [api_server.py:1] vLLM server version 0.11.0, serving model a/b\n"
    lines = start(32768, 0.95).splitlines(keepends=True)
    reading = read("".join([*lines[:2], banner, *lines[2:]]))
    assert all("start" not in seen.marks for seen in reading.observations)


def test_two_services_are_no_restart_and_their_readings_stay_apart():
    one, two = start(32768, 0.95, front="vllm-1      | "), start(8192, 0.2, front="embedder-1  | ")
    mixed = "".join(
        line
        for pair in zip(one.splitlines(True), two.splitlines(True), strict=True)
        for line in pair
    )
    reading = read(mixed)
    assert [seen.marks["speaker"] for seen in reading.observations] == ["vllm-1", "embedder-1"]
    assert len(series(("", seen) for seen in reading.observations)) == 2
    assert all("start" not in seen.marks for seen in reading.observations)
    (told,) = differ(reading)
    assert "line 1 (vllm-1), line 2 (embedder-1)" in told
    assert "engine.settings.max_model_len is 32768, then 8192" in told


def test_a_service_that_restarts_beside_another_one():
    text = (
        start(32768, 0.95, front="vllm-1      | ")
        + start(8192, 0.2, front="embedder-1  | ")
        + start(16384, 0.95, front="vllm-1      | ")
    )
    told = [(seen.marks["speaker"], seen.marks["start"]) for seen in read(text).observations]
    assert told == [("vllm-1", 1), ("embedder-1", 1), ("vllm-1", 2)]


REFUSED = (
    "ValueError: Free memory on device (10.00/23.64 GiB) on startup is less than desired GPU memory "
    "utilization (0.9, 21.28 GiB). Decrease GPU memory utilization or reduce GPU memory used by others.\n"
)


def test_two_services_that_refuse_alike_are_two_failures():
    text = "".join(f"{name:<12}| {REFUSED}" for name in ("vllm-1", "embedder-1")) * 2
    reading = read(text)
    assert [failure.speaker for failure in reading.failures] == ["vllm-1", "embedder-1"]
    assert reading.duplicate_messages == 2


def test_only_the_service_that_restarts_may_fail_anew():
    banner = "vLLM API server version 0.11.0\n"
    front = [f"{name:<12}| " for name in ("vllm-1", "embedder-1")]
    again = "".join(f"{each}{REFUSED}" for each in front)
    reading = read(f"{front[0]}{banner}{front[1]}{banner}{again}{front[0]}{banner}{again}")
    assert [failure.speaker for failure in reading.failures] == ["vllm-1", "embedder-1", "vllm-1"]
    assert reading.duplicate_messages == 1


def test_llama_cpp_in_two_containers_fails_twice():
    lines = (
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 38147.22 MiB on device 0: cudaMalloc failed: "
        "out of memory\n",
        "alloc_tensor_range: failed to allocate CUDA0 buffer of size 40000259072\n",
    )
    text = "".join(f"{name}  | {line}" for line in lines for name in ("one-1", "two-1"))
    reading = read(text)
    assert [failure.speaker for failure in reading.failures] == ["one-1", "two-1"]
    assert [f.quantities["requested"].value for f in reading.failures] == [40000259072] * 2
