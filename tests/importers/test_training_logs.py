"""What all readers of training programs' logs owe: a reading or a refusal, one reading of one file."""

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.importers._detect import read
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
KINDS = (
    "accelerate_estimate",
    "axolotl_log",
    "deepspeed_estimate",
    "deepspeed_log",
    "hf_trainer_metrics",
    "lightning_csv",
    "llamafactory_log",
    "megatron_log",
    "mlx_lm_log",
    "mmengine_log",
    "prime_rl_log",
    "sd_webui_log",
    "sglang_diffusion",
    "torchtitan_log",
    "torchtune_log",
    "unsloth_log",
    "wandb_system_metrics",
)
MEMBERS = {kind: importlib.import_module(f"fiche.importers.{kind}").MEMBER for kind in KINDS}
LINES = (
    "MA 14.96 GB         Max_MA 16.2 GB         CA 18.34 GB         Max_CA 18 GB \n",
    "RANK=3 MEMSTATS x device=cuda:3 current alloc=1.0GB (delta=-0.1GB max=1.0GB) current cache=1.0GB "
    "(delta=0.0GB max=1.0GB)\n",
    "[Rank 8] (after 10 iterations) memory (MB) | allocated: 1.5 | max allocated: 2.5 | reserved: 3.0 | "
    "max reserved: 4.0\n",
    "[Rank 1] (after 2 iterations) memory (GB) | mem-allocated-gigabytes: 63.66 | mem-alloc-retires: 4\n",
    "Theoretical memory footprints: weight and optimizer=1.5 MB, activation=1.5 MB, total=3.0 MB\n",
    "[rank0]:[titan] x - root - INFO - step:  1  loss: 12.2  memory: 58.62GiB(74.10%)  tps: 1\n",
    "[rank0]:[titan] x - root - INFO - CUDA capacity: NVIDIA H100 with 79.11GiB memory\n",
    "3 CUDA OOM errors thrown.\n",
    "\tGPU peak memory allocation: 4.98 GiB\nStep 1 | peak_memory_alloc:52.001708984375\n",
    "{'loss': 1.3, 'memory/max_mem_active(gib)': 18.42, 'train_mem_gpu_alloc_delta': -5}\n",
    "cuda memory active: 4.871GB (+4.871GB allocated, +5.062GB reserved)\n",
    "GPU memory usage after adapters: 25.701GB (+0.079GB cache, +1.045GB misc)\n",
    '{"current_steps": 10, "vram_allocated": 21.07, "vram_reserved": 22.4}\n',
    '{"before_init_mem_gpu": 0, "init_mem_gpu_alloc_delta": 5, "init_mem_gpu_peaked_delta": 6}\n',
    "  train_mem_gpu_peaked_delta =     9302MB\n",
    "step,DeviceStatsMonitor.on_train_batch_end/allocated_bytes.all.peak\n0,5\n",
    "   Tesla T4. Num GPUs = 1. Max memory: 14.741 GB. Platform: Linux.\nPeak reserved memory = 4.0 GB.\n",
    "Step 3 | Peak Mem.: 7.8/23.7 GiB (32.9%)\nTorch active/reserved: 1/2 MiB, Sys VRAM: 3/4 MiB (1%)\n",
    "Iter 10: Train loss 1, Tokens/sec 129.632, Trained Tokens 661, Peak mem 100.759 GB\n",
    "Epoch(train)  [1][  50/7330]  lr: 1.0e-03  memory: 28746  loss: 1.2\n",
    '{"memory_checkpoints": {"a": {"reserved_mb": 2.0, "allocated_mb": 1.5}}}\n',
    '{"mem-allocated-bytes": {"values": {"1": 15871131648.0}}}\n',
    '{"system.gpu.0.memoryAllocatedBytes": 2000000000}\n',
    "│float32│  474.24 MB  │ 12.42 GB │ 49.69 GB │\nLargest Layer Total Size\n",
    "  148.67GB |   0.37GB | offload_param=cpu , offload_optimizer=cpu , zero_init=1\n",
)


def outcome(member, content):
    try:
        return member.read(content, DIGEST), ""
    except Refused as refused:
        return None, refused.diagnostics[0].code


def tried(member, content):
    """Reading a text gives a reading or a refusal, and nothing else."""
    assert 0 <= member.accepts(content, "x") <= 100
    reading, code = outcome(member, content)
    if reading is None:
        assert code.startswith("F42")
        return
    assert all(o.kind_of_origin in ("measured", "runtime_reported") for o in reading.observations)
    assert all(o.kind_of_origin == "estimated" for o in reading.planned)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_damaged_text_is_read_or_refused(kind, chance):
    text = bytearray("".join(chance.choices(LINES, k=chance.randint(1, 12))).encode())
    for _ in range(chance.randint(0, 20)):
        at = chance.randrange(len(text) + 1)
        action = chance.randrange(4)
        if action == 0:
            del text[at : at + chance.randint(1, 30)]
        elif action == 1:
            text[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 4)))
        elif action == 2:
            text[at:at] = chance.choice(
                (b"{", b"}", b"\\n", b"\r", b"\n", b"9" * 40, b'"', b" " * 99)
            )
        else:
            text[at:at] = text[at : at + chance.randint(1, 60)]
    tried(MEMBERS[kind], bytes(text))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=400))
def test_bytes_of_any_sort_are_read_or_refused(kind, content):
    tried(MEMBERS[kind], content)


def test_several_programs_in_one_log_are_one_reading():
    text = (
        LINES[5]
        + LINES[0]
        + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    reading = read(text.encode(), DIGEST)
    assert {o.counter for o in reading.observations} == {"reserved_bytes", "allocated_bytes"}
    assert len(reading.failures) == 1


def test_a_label_with_the_steps_number_makes_no_series_of_its_own():
    text = "".join(LINES[2].replace("after 10", f"after {n}") for n in range(900))
    reading = MEMBERS["megatron_log"].read(text.encode(), DIGEST)
    assert len(reading.observations) == 4 * 201  # the extreme is among the first; the last follows
    assert set(reading.further["series"]) == {"allocated_bytes", "reserved_bytes"}


def test_labels_of_any_sort_stay_bounded():
    words = ("".join(chr(97 + n // 26**place % 26) for place in range(4)) for n in range(9_000))
    text = "".join(f"{word}\n{LINES[0]}" for word in words)
    reading = MEMBERS["deepspeed_log"].read(text.encode(), DIGEST)
    assert len(reading.observations) < 22_000


def test_texts_that_are_no_evidence_stay_bounded():
    text = "Name  Self CPU %  CUDA Mem  Self CUDA Mem\n" * 3_000 + LINES[8]
    reading = MEMBERS["torchtune_log"].read(text.encode(), DIGEST)
    assert len(reading.not_observed) == 1_000
    assert any(warning.startswith("aside_shortened") for warning in reading.warnings)
