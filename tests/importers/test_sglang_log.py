"""Logs of SGLang of the versions that evidence_formats 6.2 names: fields in any order, two units, refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.serving import DAMAGE, everything, figures, invented, ranks, read, values

from fiche.importers.sglang_log import MEMBER
from fiche.kernel.diagnostic import Refused

GIB = 1 << 30

LOG = """\
[2025-05-08 11:20:01] server_args=ServerArgs(model_path='example-org/Example-8B', dtype='auto', tp_size=2, \
kv_cache_dtype='auto', mem_fraction_static=0.88, device='cuda', random_seed=42, context_length=None)
[2025-05-08 11:20:07 TP0] Load weight begin. avail mem=78.41 GB
[2025-05-08 11:20:31 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=70.86 GB, \
mem usage=7.55 GB.
[2025-05-08 11:20:31 TP1] KV Cache is allocated. #tokens: 933411, K size: 28.49 GB, V size: 28.49 GB
[2025-05-08 11:20:31 TP1] Memory pool end. avail mem=12.44 GB
[2025-05-08 11:20:40 TP0] Capture cuda graph end. Time elapsed: 8.03 s. avail mem=11.52 GB. mem usage=0.84 GB.
[2025-05-08 11:20:40 TP0] max_total_num_tokens=933411, chunked_prefill_size=8192, max_prefill_tokens=16384, \
max_running_requests=4097, context_len=131072, available_gpu_mem=4.83 GB
"""


def line(text, rank="TP0"):
    return read(MEMBER, f"[2025-09-01 11:20:07 {rank}] {text}\n")


def test_a_start():
    reading = read(MEMBER, LOG)
    assert values(reading, "sglang.weights") == ["7.55 GB"]
    assert values(reading, "sglang.cuda_graphs") == ["0.84 GB"]
    assert values(reading, "device_free") == [
        "78.41 GB", "70.86 GB", "12.44 GB", "11.52 GB", "4.83 GB",
    ]  # fmt: skip
    assert ranks(reading, "sglang.k_cache") == ["TP1"]
    assert values(reading, "sglang.max_total_num_tokens") == [933411]
    assert {seen.kind_of_origin for seen in reading.planned} == {"budget"}
    facts = {path: fact.value for path, fact in reading.facts.items()}
    assert facts["model.name"] == "example-org/Example-8B"
    assert facts["formats.compute"] == "bf16"
    assert facts["placement.tensor_parallel"] == "2"
    assert facts["engine.settings.mem_fraction_static"] == "0.88"
    assert "formats.cache" not in facts


def test_a_label_that_lies_is_said():
    warnings = [warning.partition(":")[0] for warning in read(MEMBER, LOG).warnings]
    assert "unit_label_is_binary" in warnings
    assert "unit_label_is_decimal" not in warnings
    assert "device_wide_difference" in warnings


@pytest.mark.parametrize(
    "text",
    [
        "Capture cuda graph end. Time elapsed: 8.03 s. avail mem=11.52 GB. mem usage=0.84 GB.",
        "Capture cuda graph end. Time elapsed: 8.03 s. mem usage=0.84 GB. avail mem=11.52 GB.",
        "Capture target decode CUDA graph end. bs=[1], elapsed=8 s, mem usage=0.84 GB, avail mem=11.52 GB.",
        "Capture piecewise CUDA graph end. Time elapsed: 8.03 s. mem usage=0.84 GB. avail mem=11.52 GB.",
    ],
)
def test_fields_come_in_any_order(text):
    reading = line(text)
    assert values(reading, "sglang.cuda_graphs") == ["0.84 GB"]
    assert values(reading, "device_free") == ["11.52 GB"]


def test_a_difference_can_be_negative():
    (usage, _) = line(
        "Load weight end. type=X, avail mem=70.86 GB, mem usage=-0.25 GB."
    ).observations
    assert usage.value.high < 0


def test_compressed_caches_and_states():
    reading = line(
        "KV Cache is allocated. dtype: torch.float8_e4m3fn, #tokens: 9411, KV size: 28.49 GB"
    )
    assert values(reading, "sglang.kv_cache") == ["28.49 GB"]
    assert values(reading, "sglang.kv_cache_tokens") == [9411]
    assert reading.facts["formats.cache"].value == "fp8_e4m3"
    reading = line(
        "Mamba Cache is allocated. max_mamba_cache_size: 12, conv_state size: 0.12GB, ssm_state size: 1.50GB "
    )
    assert values(reading, "sglang.ssm_state") == ["1.50GB"]


def test_addresses_are_no_memory():
    reading = line(
        "KV Cache VA upper bound. dtype: torch.bfloat16, #tokens: 99, K size: 60.00 GB, V size: 60.00 GB"
    )
    assert not reading.observations
    assert "addresses" in reading.not_observed[0].reason


def test_the_host_tier_is_decimal():
    (seen,) = line("Allocating 51.20 GB host memory for hierarchical KV cache.").observations
    assert (seen.scope, seen.value.unit_bytes, seen.value.value) == (
        "host_process",
        10**9,
        51_200_000_000,
    )


def test_graph_sizes_while_capturing():
    text = "\r".join(
        f"Capturing batches (bs={n} avail_mem=1{n}.54 GB): {n}%|# | {n}/23" for n in (1, 2)
    )
    reading = read(MEMBER, text)
    assert values(reading, "device_free") == ["11.54 GB", "12.54 GB"]


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.", "device"),
        ("RuntimeError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes",
         "device"),
        ("RuntimeError: Not enough GPU memory for hybrid (mamba/linear-attention) state cache. Computed "
         "max_mamba_cache_size=0 (total_rest_memory=1.25 GB, mamba", "device"),
        ("ValueError: Not enough host memory available. Requesting 80.00 GB but only have 60.12 GB free.",
         "host"),
        ("RuntimeError: Prefill out of memory. Try to lower your batch size.", "device"),
    ],
)  # fmt: skip
def test_refusals(text, memory):
    reading = read(MEMBER, f"{text}\n")
    (failure,) = reading.failures
    assert (failure.message_kind, failure.memory) == ("admission_check", memory)
    assert not reading.observations


def test_the_host_refusal_counts_in_decimal_units():
    text = "ValueError: Not enough host memory available. Requesting 80.00 GB but only have 60.12 GB free.\n"
    (failure,) = read(MEMBER, text).failures
    assert figures(failure)["requested"] == (79_995_000_000, 80_005_000_000)


def test_a_warning_is_no_failure():
    reading = line(
        "The memory capacity is unbalanced. Some GPUs may be occupied by other processes. x=1"
    )
    assert not reading.failures
    assert reading.not_observed
    reading = line("KV cache pool is full. Retract requests. #retracted_reqs: 1")
    assert not reading.failures


def test_what_torch_says_is_left_to_torch():
    text = "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0\n"
    with pytest.raises(Refused, match="F424"):
        read(MEMBER, text)
    assert MEMBER.accepts(text.encode(), "x.log") == 0


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_changes_no_figure(damage):
    assert everything(read(MEMBER, DAMAGE[damage](LOG))) == everything(read(MEMBER, LOG))


@pytest.mark.parametrize("columns", [80, 90, 100])
def test_hard_wraps(columns):
    lines = LOG.splitlines()
    wrapped = [text[at : at + columns] for text in lines for at in range(0, len(text), columns)]
    reading = read(MEMBER, "\n".join(wrapped))
    for counter in (
        "sglang.weights",
        "sglang.cuda_graphs",
        "sglang.k_cache",
        "sglang.max_total_num_tokens",
    ):
        assert values(reading, counter) == values(read(MEMBER, LOG), counter)


@pytest.mark.parametrize("columns", range(72, 132, 5))
def test_wraps_invent_no_figure(columns):
    for text in [LOG]:
        assert invented(MEMBER, text, columns) == []


@given(st.data())
def test_mutations_never_break_the_reader(data):
    text = bytearray(LOG.encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    try:
        reading = MEMBER.read(bytes(text), "ab" * 32)
    except Refused:
        return
    assert not any(seen.stat == "need" for seen in reading.observations)


def test_the_environment_in_front_of_a_log():
    text = "GPU 0,1: NVIDIA L40S\nCUDA Driver Version: 550.54.15\nPyTorch: 2.5.1+cu124\nsglang: 0.4.6.post1\n"
    facts = {path: fact.value for path, fact in read(MEMBER, text + LOG).facts.items()}
    assert facts["devices.1.name"] == facts["device"] == "NVIDIA L40S"
    assert (facts["driver"], facts["engine.version"]) == ("550.54.15", "0.4.6.post1")
