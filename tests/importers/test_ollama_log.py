"""Logs of Ollama (evidence_formats 6.4): estimates, free memory, the runner's account, `ollama ps`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.serving import DAMAGE, everything, figures, read, values

from fiche.importers._detect import read as read_any
from fiche.importers.ollama_log import MEMBER
from fiche.kernel.diagnostic import Refused

GIB = 1 << 30

OFFLOAD = (
    'time=2025-01-10T22:05:21.896+08:00 level=INFO source=memory.go:356 msg="offload to cuda" '
    'layers.requested=-1 layers.model=41 layers.offload=29 layers.split="" '
    'memory.available="[6.9 GiB 4.7 GiB]" '
    'memory.gpu_overhead="0 B" memory.required.full="9.6 GiB" memory.required.partial="6.8 GiB" '
    'memory.required.kv="400.0 MiB" memory.required.allocations="[6.8 GiB 0 B]" memory.weights.total="8.2 GiB" '
    'memory.graph.full="266.7 MiB"\n'
)
DEVICE = """\
time=2026-05-05T01:30:33Z level=INFO source=routes.go:1 msg="Listening on [::]:11434 (version 0.12.5)"
time=2026-05-05T01:30:33Z level=INFO source=types.go:42 msg="inference compute" id=GPU-d37b library=CUDA \
compute=8.6 name=CUDA0 description="NVIDIA GeForce RTX 3060" libdirs=ollama,cuda_v13 driver=13.0 type=discrete \
total="12.0 GiB" available="10.7 GiB"
time=2026-05-05T01:30:33Z level=INFO source=sched.go:484 msg="system memory" total="15.6 GiB" free="13.9 GiB" \
free_swap="4.0 GiB"
time=2026-05-05T01:30:33Z level=INFO source=sched.go:491 msg="gpu memory" id=1 library=CUDA \
available="10.3 GiB" free="10.7 GiB" minimum="457.0 MiB" overhead="0 B"
time=2026-05-05T01:30:33Z level=INFO source=device.go:240 msg="model weights" device=CUDA0 size="4.1 GiB"
time=2026-05-05T01:30:33Z level=INFO source=device.go:245 msg="model weights" device=CPU size="285.7 MiB"
time=2026-05-05T01:30:33Z level=INFO source=device.go:251 msg="kv cache" device=CUDA0 size="1.8 GiB"
time=2026-05-05T01:30:33Z level=INFO source=device.go:262 msg="compute graph" device=CUDA0 size="884.1 MiB"
time=2026-05-05T01:30:33Z level=INFO source=device.go:272 msg="total memory" size="7.6 GiB"
"""
PS = """\
NAME           ID              SIZE      PROCESSOR          CONTEXT    UNTIL
llama3.1:8b    46e0c10c039e    5.3 GB    100% GPU           4096       4 minutes from now
qwen3:32b      46e0c10c039f    23 GB     12%/88% CPU/GPU    8192       Forever
"""


def test_estimates_are_no_measurements():
    reading = read(MEMBER, OFFLOAD)
    assert [(s.counter, s.device_index) for s in reading.observations] == [
        ("device_free", 0),
        ("device_free", 1),
    ]
    assert {s.kind_of_origin for s in reading.planned} <= {"estimated", "budget"}
    assert values(reading, "ollama.required.full") == ["9.6 GiB"]
    assert values(reading, "ollama.required.allocations") == ["6.8 GiB", "0 B"]
    assert values(reading, "ollama.graph.full") == ["266.7 MiB"]
    assert reading.facts["placement.resident"].value == "offload"
    assert reading.backend == "cuda"


def test_a_load_in_host_memory_says_nothing_of_a_device():
    text = OFFLOAD.replace("offload to cuda", "offload to cpu").replace(
        "[6.9 GiB 4.7 GiB]", "[7.3 GiB]"
    )
    (seen,) = read(MEMBER, text).observations
    assert (seen.counter, seen.scope) == ("host_free", "host")


def test_the_runners_account():
    reading = read(MEMBER, DEVICE)
    assert values(reading, "ollama.model_weights") == ["4.1 GiB", "285.7 MiB"]
    assert [
        s.device_index for s in reading.observations if s.counter == "ollama.model_weights"
    ] == [0, None]
    assert {s.kind_of_origin for s in reading.observations if s.counter.startswith("ollama.")} == {
        "runtime_reported"
    }
    assert values(reading, "host_free") == ["13.9 GiB"]
    assert values(reading, "total_gpu_memory") == ["12.0 GiB"]
    assert [s.device_index for s in reading.observations if s.counter == "device_free"] == [0, 1]
    assert values(reading, "ollama.available") == ["10.3 GiB"]
    assert reading.capacities[0].device_name == "NVIDIA GeForce RTX 3060"
    facts = {path: fact.value for path, fact in reading.facts.items()}
    assert facts["engine.version"] == "0.12.5"
    assert facts["device"] == "NVIDIA GeForce RTX 3060"
    assert "driver" not in facts  # what is printed there is the driver's CUDA version


@pytest.mark.parametrize("key", ["device", "buffer"])
def test_older_keys_of_the_runner(key):
    line = f'level=INFO source=ggml.go:365 msg="model weights" {key}=CUDA1 size="11.9 GiB"\n'
    (seen,) = read(MEMBER, line).observations
    assert (seen.device_index, seen.marks["buffer"]) == (1, "CUDA1")


def test_one_decimal_and_exact_bytes():
    line = (
        'level=INFO source=sched.go:715 msg="new model will fit in available VRAM in single '
        'GPU, loading" model=/x gpu=GPU-fb parallel=4 available=15720382464 required="6.2 GiB"\n'
    )
    reading = read(MEMBER, line)
    assert reading.observations[0].value.rounding == "exact"
    (needed,) = reading.planned
    assert needed.value.high - needed.value.low == pytest.approx(GIB / 10, abs=2)


def test_the_table_is_decimal():
    small, large = read(MEMBER, PS).observations
    assert (small.value.unit_bytes, small.value.rounding) == (10**9, "nearest-1-digits")
    assert (large.value.low, large.value.high) == (23 * 10**9, 24 * 10**9 - 1)
    assert large.label == "qwen3:32b, 12%/88% CPU/GPU"
    warnings = [w.partition(":")[0] for w in read(MEMBER, PS).warnings]
    assert "unit_label_is_decimal" in warnings


def test_a_refusal_for_host_memory():
    text = "Error: model requires more system memory (41.0 GiB) than is available (30.2 GiB)\n"
    reading = read(MEMBER, text + text)
    (failure,) = reading.failures
    assert (failure.message_kind, failure.memory) == ("admission_check", "host")
    assert set(figures(failure)) == {"requested", "free"}
    assert reading.duplicate_messages == 1


def test_what_the_runner_was_asked_for():
    line = (
        'level=INFO source=runner.go:1284 msg=load request="{Operation:commit LoraPath:[] '
        'Parallel:1 BatchSize:512 FlashAttention:Enabled KvSize:16384 KvCacheType:q8_0 NumThreads:4}"\n'
    )
    facts = {path: fact.value for path, fact in read(MEMBER, line + DEVICE).facts.items()}
    assert facts["engine.settings.KvSize"] == "16384"
    assert facts["formats.cache"] == "q8_0"


def test_the_llama_cpp_inside_is_read_as_such():
    text = DEVICE + "load_tensors:        CUDA0 model buffer size =  4403.50 MiB\n"
    reading = read_any(text.encode(), "ab" * 32, "server.log")
    assert reading.kind == "ollama_log"
    assert values(reading, "llamacpp.model_buffer") == ["4403.50 MiB"]


def test_other_logs_are_not_accepted():
    assert MEMBER.accepts(b'level=INFO msg="system memory low"\n100% GPU\n', "x.log") == 0
    assert MEMBER.accepts(DEVICE.encode(), "x.log") == 85
    with pytest.raises(Refused, match="F424"):
        read(MEMBER, 'time=2025-10-01T00:00:00Z level=INFO msg="starting runner"\n')


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("text", [OFFLOAD, DEVICE, PS], ids=["offload", "device", "ps"])
def test_damage_changes_no_figure(text, damage):
    assert everything(read(MEMBER, DAMAGE[damage](text))) == everything(read(MEMBER, text))


@pytest.mark.parametrize("columns", [80, 120])
def test_hard_wraps(columns):
    wrapped = "\n".join(OFFLOAD[at : at + columns] for at in range(0, len(OFFLOAD) - 1, columns))
    reading = read(MEMBER, wrapped)
    assert values(reading, "device_free") == ["6.9 GiB", "4.7 GiB"]


@given(st.data())
def test_mutations_never_break_the_reader(data):
    text = bytearray((OFFLOAD + DEVICE + PS).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    try:
        reading = MEMBER.read(bytes(text), "ab" * 32)
    except Refused:
        return
    assert not any(seen.stat == "need" for seen in reading.observations)


def test_the_first_form_of_the_estimate():
    line = (
        'level=INFO source=memory.go:97 msg="offload to gpu" reallayers=33 layers=33 required="5033.0 MiB" '
        'used="4033.0 MiB" available="7282.0 MiB" kv="256.0 MiB" fulloffload="164.0 MiB"\n'
    )
    reading = read(MEMBER, line)
    assert values(reading, "device_free") == ["7282.0 MiB"]
    assert values(reading, "ollama.required.full") == ["5033.0 MiB"]
    assert {s.kind_of_origin for s in reading.planned} == {"estimated"}
