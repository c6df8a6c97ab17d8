"""Out-of-memory messages of PyTorch, in every shape and damage of evidence_formats 1.1 to 1.4 (C11, C13)."""

import gzip
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.messages import (
    ADVICE,
    CLASS,
    FIGURES,
    IPEX,
    MPS,
    OTHERS,
    brackets,
    coloured,
    format_size,
    hard_wrapped,
    sentence,
    six_lines,
    soft_wrapped,
)

from fiche.importers import _scan
from fiche.importers.torch_oom import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
GIB = 1 << 30


def read(text):
    return MEMBER.read(text if isinstance(text, bytes) else text.encode(), DIGEST)


def figures(failure):
    return {name: value.text for name, value in failure.quantities.items()}


def only(text):
    (failure,) = read(text).failures
    return failure


def whole(failure, device=3):
    """True when every part of `sentence` was read."""
    others = [(p.pid, p.in_use.text) for p in failure.other_processes]
    return (
        (figures(failure), others, failure.device_index) == (FIGURES, OTHERS, device)
        and not failure.truncated
        and failure.message_kind == "allocator_oom"
        and (failure.memory, failure.backend) == ("device", "cuda")
    )


# --- Prefixes and damage --------------------------------------------------------------------------


PREFIXES = {
    "torchrun": ("[rank3]: ", 3),
    "torchrun --tee": ("[default3]:", 3),
    "mpirun --tag-output": ("[1,3]<stderr>:", 3),
    "lightning": ("[rank: 3] ", 3),
    "megatron": ("[Rank 3] ", 3),
    "vllm worker": (
        "(VllmWorker rank=3 pid=1090) ERROR 06-05 06:18:13 [multiproc_executor.py:470] ",
        3,
    ),
    "vllm tensor parallel": ("(Worker_TP1 pid=713) ERROR 03-22 09:30:11 [core.py:843] ", "TP1"),
    "vllm engine": ("(EngineCore_DP0 pid=391) ERROR 11-04 07:41:22 [core.py:843] ", None),
    "vllm v0": ("(VllmWorkerProcess pid=214) ERROR 09-27 05:20:38 worker_utils.py:233] ", None),
    "sglang": ("[2025-05-08 11:20:07 TP0] ", "TP0"),
    "ray": ("(RayTrainWorker pid=1234, ip=10.0.0.3) ", None),
    "ray, coloured": ("\x1b[36m(pid=3959, ip=172.31.41.219)\x1b[0m ", None),
    "compose": ("svc-1  | ", None),
    "github actions": ("2026-01-15T03:22:41.1187734Z ", None),
    "buildkite": ("[2025-12-13T19:54:35Z] ", None),
    "kaggle": ("12218.4s\t489\t", None),
    "pytest": ("E       ", None),
    "logging": ("2024-08-21 22:56:04,123 ERROR ", None),
    "glog": ("E0612 09:41:17.205000 2201 torch/api.py:897] ", None),
    "syslog": ("Aug 21 22:56:04 node7 python[4242]: ", None),
    "torchrun, from a template": ("[default3|1]: ", 3),
    "openmpi 5": ("[node7@1,3]<stderr>: ", 3),
    "srun --label": (" 3: ", 3),
    "a launcher's label": ("rank 3: ", 3),
    "mpich": ("[3] ", None),
    "pdsh": ("node-3: [rank17]: ", 17),
    "compose, coloured": ("\x1b[36mtrainer-1  |\x1b[0m ", None),
    "swarm": ("train.1.x7k2@node7    | ", None),
    "kubernetes' own files": ("2026-01-15T03:22:41.123456789Z stderr F ", None),
    "kubectl --prefix": ("[pod/train-0-x7k2/main] ", None),
    "stern": ("train-0-x7k2 main ", None),
    "journald, iso": ("2026-01-15T03:22:41+0100 node7 train.service[4242]: ", None),
    "journald, in french": ("avril 27 15:01:02 node7 python[4242]: ", None),
    "journald, in german": ("Mär 27 15:01:02 node7 python[4242]: ", None),
    "gitlab": ("2026-01-15T03:22:41.118773Z 01E ", None),
    "gitlab, continued": ("2026-01-15T03:22:41.118773Z 01O+", None),
    "azure": ("2026-01-15T03:22:41.1187734Z ##[error]", None),
    "buildkite's own": ("\x1b_bk;t=1700000000000\x07", None),
    "loguru": ("2026-01-15 03:22:41.118 | ERROR    | train.loop:step:88 - ", None),
    "logging, with names": ("2026-01-15 03:22:41,118 - train.loop - ERROR - ", None),
    "logging, basic": ("ERROR:train.loop:", None),
    "airflow": ("[2026-01-15T03:22:41.118+0000] {taskinstance.py:1234} ERROR - ", None),
    "accelerate": ("[ERROR|trainer.py:123] 2026-01-15 03:22:41,118 >> ", None),
    "c10": ("[rank3]:[W812 16:00:28.643448608 CUDACachingAllocator.cpp:3933] ", 3),
    "github's command": ("::error file=a.py,line=1::", None),
    "quoted": ("> ", None),
    "commented": ("# ", None),
    "a launcher's own": ("job42@node7 >> ", None),
}


@pytest.mark.parametrize(("prefix", "rank"), PREFIXES.values(), ids=PREFIXES)
def test_a_prefix_is_no_part_of_the_message(prefix, rank):
    failure = only(f"step 4\n{prefix}{CLASS}{sentence()}{ADVICE}\n")
    assert whole(failure)
    assert (failure.rank, failure.pointer.line) == (rank, 2)


@pytest.mark.parametrize("prefix", [prefix for prefix, _ in PREFIXES.values()], ids=PREFIXES)
def test_a_prefix_on_every_line_of_a_wrapped_message(prefix):
    failure = only(f"step 4\n{soft_wrapped(CLASS + sentence() + ADVICE, 80, prefix)}\n")
    assert whole(failure)
    assert failure.pointer.line == 2


@pytest.mark.parametrize("width", range(36, 121))
def test_a_message_cut_at_any_column(width):
    """Terminals cut words and figures in the middle: 20.3|1 GiB is 20.31 GiB."""
    assert whole(only(hard_wrapped(CLASS + sentence() + ADVICE, width)))


@pytest.mark.parametrize("width", [40, 75, 80, 100])
@pytest.mark.parametrize("message", [brackets(), MPS, IPEX])
def test_other_messages_cut_at_a_column(message, width):
    plain, cut = (
        only("RuntimeError: " + message),
        only(hard_wrapped("RuntimeError: " + message, width)),
    )
    assert figures(cut) == figures(plain)
    assert not cut.truncated


def test_a_log_handlers_column_at_the_right_edge():
    """Rich prints file:line there and goes on below."""
    text = (
        "[Errore][Isola 2] MPS backend out of memory (MPS allocated: 3.11 GB, other allocations: "
        "5.42 GB, max     island_cpso.py:15\n"
        "        allowed: 9.07 GB). Tried to allocate 720.00 MB on private pool. Use \n"
    )
    assert figures(only(text)) == {
        "allocated": "3.11 GB",
        "other_in_use": "5.42 GB",
        "allowed": "9.07 GB",
        "requested": "720.00 MB",
    }


def test_a_panel_around_a_traceback():
    body = soft_wrapped(CLASS + sentence(), 70)
    text = "\n".join(f"│ {line:<72} │" for line in body.split("\n"))
    assert whole(only(text))


def test_a_traceback_without_prefixes_belongs_to_whoever_began_it():
    """SGLang prefixes the first line only."""
    began = (
        "[2025-05-08 11:20:07 TP1] Scheduler hit an exception: Traceback (most recent call last):\n"
    )
    inside = "  File 'a.py', line 1, in <module>\n    x()\n"
    assert only(f"{began}{inside}{CLASS}{sentence()}\n").rank == "TP1"
    other = "[2025-05-08 11:20:07 TP0] Memory pool end.\n"
    assert only(f"{began}{inside}{other}{CLASS}{sentence()}\n").rank is None


def docker(line):
    """A line as docker keeps it in its own files."""
    told = {"log": line + "\n", "stream": "stderr", "time": "2026-01-15T03:22:41.123456789Z"}
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)


def test_dockers_own_files():
    for width in (70, 90, 2_000):
        text = "\n".join(map(docker, soft_wrapped(CLASS + sentence() + ADVICE, width).split("\n")))
        assert whole(only(text))
    assert figures(only("\n".join(map(docker, six_lines().split("\n"))))) == SIX


@pytest.mark.parametrize("at", range(70, 440, 23))
def test_a_line_that_kubernetes_keeps_in_parts(at):
    """A container's line is cut at 16 KiB, in the middle of a figure or not; the parts follow each other."""
    stamp, text = "2026-01-15T03:22:41.123456789Z stderr ", CLASS + sentence()
    assert whole(only(f"{stamp}P {text[:at]}\n{stamp}F {text[at:]}\n"))


@pytest.mark.parametrize("escape", ["\\x1b", "\\033", "#033", "^[", "", "\\u001b", "\u2190"])
def test_colours_whose_escape_sign_was_written_out_or_lost(escape):
    assert whole(only(coloured(CLASS + sentence()).replace("\x1b", escape)))


@pytest.mark.parametrize("blank", ["\u200b ", "\u202f", "\u3000", " \ufeff", "\u2028"])
def test_blanks_of_other_sorts(blank):
    assert whole(only((CLASS + sentence()).replace(" ", blank)))


@pytest.mark.parametrize(
    "form", ["[rank{}]: ", "{}: ", "[1,{}]<stderr>:", "[default{}]:", "rank {}: "]
)
def test_interleaved_ranks_are_told_apart(form):
    three = soft_wrapped(CLASS + sentence(3), 80, form.format(3)).split("\n")
    one = soft_wrapped(CLASS + sentence(1, free="1.02 GiB"), 80, form.format(1)).split("\n")
    text = "\n".join(line for pair in zip(three, one, strict=True) for line in pair)
    first, second = read(text).failures
    assert whole(first)
    assert (first.rank, first.pointer.line) == (3, 1)
    assert (second.rank, second.pointer.line, second.quantities["free"].text) == (1, 2, "1.02 GiB")


def test_a_progress_bar_in_front_and_in_between():
    text = CLASS + sentence()
    bar = "  0%|          | 0/250 [00:14<?, ?it/s]"
    assert whole(only(f"Loading: 10%|#  | 1/6\rLoading: 100%|###| 6/6\r{text}"))
    for at in (90, 150, 200):
        assert whole(only(f"{text[:at]}\n{bar}\n{text[at:]}"))


def test_colours_between_words():
    assert whole(only(coloured(CLASS + sentence())))
    assert whole(only(json.dumps({"error": coloured(sentence())})))


def test_crlf_and_a_lone_cr():
    assert whole(only("a\r\nb\r\n" + (CLASS + sentence() + ADVICE).replace(". ", ".\r\n")))
    assert only("a\rb\r\n" + CLASS + sentence()).pointer.line == 2


def test_doubled_blanks_and_hard_blanks():
    assert whole(only((CLASS + sentence()).replace(" ", "  ")))
    assert whole(only((CLASS + sentence()).replace(" ", "\u00a0")))


def test_inside_json_once_and_twice():
    record = {"status": "failed", "error": f"CUDA OOM: {sentence()}{ADVICE}", "metric": None}
    assert whole(only(json.dumps(record, indent=2)))
    assert whole(only(json.dumps({"result": json.dumps(record)})))
    assert figures(only(json.dumps({"e": six_lines()})))["requested"] == "768.00 KiB"


def test_a_line_of_json_with_message_and_traceback_is_one_event():
    line = json.dumps(
        {"error": sentence(), "traceback": f"Traceback\n  File 'a.py'\n{CLASS}{sentence()}"}
    )
    reading = read(line)
    assert len(reading.failures) == 1
    assert reading.duplicate_messages == 1


def test_words_of_the_message_split_by_a_wrap():
    text = (
        "x" * 60
        + " torch.OutOfMemoryError: CUDA out of mem\nory. Tried to allocate 2.00 GiB. GPU 1 has a"
    )
    failure = only(text)
    assert (failure.pointer.line, figures(failure)) == (1, {"requested": "2.00 GiB"})


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_byte_order_mark_names_the_encoding(encoding):
    assert whole(only(f"Größe\n{CLASS}{sentence()}\n".encode(encoding)))


def test_gzip_and_bytes_that_are_no_text():
    plain = b"\x80\x81\xff\n\xc3(\n" + (CLASS + sentence()).encode() + b"\xff\n"
    assert only(plain).pointer.line == 3
    assert only(gzip.compress(plain)) == only(plain)
    assert (
        only(gzip.compress(b"a\n") + gzip.compress((CLASS + sentence()).encode())).pointer.line == 2
    )


# --- Shapes ---------------------------------------------------------------------------------------


def test_reserved_includes_allocated_and_cached_does_not():
    """Until 1.4 the last figure is reserved minus allocated, later all that is reserved."""
    new = only("RuntimeError: " + brackets())
    assert figures(new) == {
        "requested": "978.00 MiB",
        "total_capacity": "14.76 GiB",
        "allocated": "12.61 GiB",
        "free": "387.75 MiB",
        "reserved_total": "13.31 GiB",
    }
    old = only("RuntimeError: " + brackets().replace("reserved in total by PyTorch", "cached"))
    assert "reserved_total" not in old.quantities
    assert old.quantities["reserved_unallocated"].text == "13.31 GiB"


def test_a_limit_in_brackets():
    text = brackets().replace("387.75 MiB free; ", "387.75 MiB free; 4.77 GiB allowed; ")
    assert figures(only("RuntimeError: " + text))["allowed"] == "4.77 GiB"


def test_capacty_is_the_spelling_of_21():
    reading = read("torch.cuda.OutOfMemoryError: " + sentence().replace("capacity", "capacty"))
    assert reading.shape == "sentence-2.1"
    assert whole(reading.failures[0])


def test_the_own_sentence_stands_between_others():
    own = "Including non-PyTorch memory, this process has 22.76 GiB memory in use. "
    text = sentence().replace(own, own + "Process 77 has 1.00 GiB memory in use. ")
    failure = only(CLASS + text)
    assert [p.pid for p in failure.other_processes] == [40213, 77]
    assert failure.quantities["process_in_use"].text == "22.76 GiB"


def test_many_processes():
    listed = "".join(f"Process {pid} has 1.00 GiB memory in use. " for pid in range(1000, 1050))
    failure = only(
        CLASS + sentence().replace("Process 40213 has 612.00 MiB memory in use. ", listed)
    )
    assert len(failure.other_processes) == 50
    assert failure.quantities["reserved_unallocated"].text == "1.96 GiB"


def test_hip_and_its_graphs():
    text = (
        sentence()
        .replace("CUDA", "HIP")
        .replace("894.44 MiB is free. ", "894.44 MiB is free. 1.05 GiB allowed; ")
    )
    failure = only(CLASS + text)
    assert (failure.backend, failure.quantities["allowed"].text) == ("rocm", "1.05 GiB")
    assert failure.quantities["in_private_pools"].text == "19.00 MiB"


@pytest.mark.parametrize("free", [" of which 12.01 GiB is free. ", ". "])
def test_xpu_with_and_without_free_figure(free):
    text = (
        f"XPU out of memory. Tried to allocate 59.61 GiB. GPU 0 has a total capacity of 28.55 GiB{free}"
        "Of the allocated memory 1024 bytes is allocated by PyTorch, and 2.00 MiB is reserved by PyTorch "
        "but unallocated. Please use `empty_cache` to release all unoccupied cached memory."
    )
    reading = read(CLASS + text)
    (failure,) = reading.failures
    assert (failure.backend, reading.shape, failure.truncated) == ("xpu", "xpu-2.8", False)
    assert ("free" in failure.quantities) == ("free" in free)


def test_ipex_prints_two_blanks_and_no_free_figure():
    failure = only("RuntimeError: " + IPEX)
    assert (failure.device_index, "free" in failure.quantities) == (0, False)
    assert failure.quantities["reserved_total"].text == "176.00 MiB"


def test_a_block_limit_is_no_lack_of_memory():
    text = (
        "RuntimeError: Current platform can NOT allocate memory block with size larger than 4GB! Tried to "
        "allocate 6.85 GiB (GPU  0; 15.56 GiB total capacity; 0 bytes already allocated; 0 bytes reserved "
        "in total by PyTorch)"
    )
    failure = only(text)
    assert (failure.message_kind, failure.backend) == ("allocation_size_limit", "xpu")
    assert failure.quantities["requested"].text == "6.85 GiB"


def test_a_size_check_has_a_bound_and_no_figure():
    failure = only(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1EB memory."
    )
    bound = failure.quantities["requested_at_least"]
    assert failure.message_kind == "allocation_size_limit"
    assert (bound.low, bound.high, bound.rounding) == (1 << 60, None, "lower-bound")
    assert "requested" not in failure.quantities


@pytest.mark.parametrize(("label", "said"), [("GiB", False), ("GB", True)])
def test_mps_labels_old_and_new(label, said):
    reading = read(
        "RuntimeError: " + MPS.replace("GiB", label).replace("MiB", label.replace("G", "M"))
    )
    (failure,) = reading.failures
    assert failure.quantities["allocated"].unit_bytes == GIB
    assert (failure.memory, failure.backend, failure.device_index) == ("unified", "mps", None)
    assert any(w.startswith("unit_label_is_binary") for w in reading.warnings) == said
    assert reading.capacities == ()


def test_mps_without_a_limit():
    failure = only("RuntimeError: " + MPS.replace("27.20 GiB", "unlimited"))
    assert failure.quantities["allowed"].unavailable
    assert failure.quantities["requested"].text == "292.50 MiB"


SIX = {
    "allocated": "14.71 GiB",
    "requested": "768.00 KiB",
    "total_capacity": "15.99 GiB",
    "free": "27.06 MiB",
    "allowed": "17179869184.00 GiB",
}


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text,
        lambda text: text.replace("\n", " "),
        lambda text: text.replace("  ", ""),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n".join(f"[rank0]: {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"comfy  | {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"comfy-0-x7k2 main {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"node7: {line}" for line in text.split("\n")),
        lambda text: text.replace("\n", "\\n"),
    ],
    ids=[
        "six lines",
        "joined",
        "no padding",
        "crlf",
        "ranks",
        "compose",
        "stern",
        "pdsh",
        "escaped",
    ],
)
def test_cuda_malloc_async(damage):
    reading = read(damage(six_lines()))
    for error in ("Error occurred: ", "torch.OutOfMemoryError: "):
        assert figures(only(damage(error + six_lines()))) == SIX
    (failure,) = reading.failures
    assert figures(failure) == SIX
    assert failure.quantities["allowed"].unavailable
    assert (failure.device_index, failure.truncated) == (0, False)
    assert reading.runs[0].facts["allocator.backend"].value == "cudaMallocAsync"
    assert any(w.startswith("limit_not_set") for w in reading.warnings)


@pytest.mark.parametrize(
    ("text", "shape", "backend"),
    [
        ("RuntimeError: CUDA error: out of memory", "cuda-error", "cuda"),
        ("torch.AcceleratorError: CUDA error: out of memory", "cuda-error", "cuda"),
        ("RuntimeError: CUDA driver error: out of memory", "cuda-driver-error", "cuda"),
        ("RuntimeError: HIP error: out of memory", "hip-error", "rocm"),
        (
            "RuntimeError: cuda runtime error (2) : out of memory at /a/b.cu:58",
            "cuda-runtime-error",
            "cuda",
        ),
        ("Failed: Cuda error /w/csrc/reduce.cuh:364 'out of memory'", "cuda-error", "cuda"),
        ("RuntimeError: Triton Error [CUDA]: out of memory", "triton-driver-error", "cuda"),
        ("thrust: cudaErrorMemoryAllocation: out of memory", "driver-code", "cuda"),
        ("hipErrorOutOfMemory", "driver-code", "rocm"),
        ("Native API returns: 39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)", "driver-code", "xpu"),
    ],
)
def test_a_drivers_word_without_figures(text, shape, backend):
    reading = read(f"Traceback\n{text}\n")
    (failure,) = reading.failures
    assert (reading.shape, failure.message_kind, failure.backend) == (shape, "driver_oom", backend)
    assert (dict(failure.quantities), failure.truncated) == ({}, False)
    assert reading.capacities == ()


@pytest.mark.parametrize(
    ("text", "library", "backend"),
    [
        (
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
            "cublas",
            "cuda",
        ),
        ("cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "cudnn", "cuda"),
        (
            "CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `hipblasCreate(&h)`",
            "hipblas",
            "rocm",
        ),
        ("cusolver error: CUSOLVER_STATUS_ALLOC_FAILED", "cusolver", "cuda"),
        ("miopenStatusAllocFailed", "miopen", "rocm"),
    ],
)
def test_a_library_that_could_not_allocate(text, library, backend):
    reading = read("RuntimeError: " + text)
    (failure,) = reading.failures
    assert (failure.message_kind, failure.library, failure.backend) == (
        "library_alloc_failed",
        library,
        backend,
    )
    assert any(w.startswith("cause_uncertain") for w in reading.warnings)


def test_cudnn_says_not_supported_for_many_reasons():
    text = "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a x"
    reading = read(text)
    (failure,) = reading.failures
    assert (failure.message_kind, failure.library) == ("library_alloc_failed", "cudnn")
    assert any(w.startswith("cause_uncertain: cudnn answers") for w in reading.warnings)


def test_a_card_of_habana():
    text = (
        "RuntimeError: [Rank:3] FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::939524096 "
        "(896)MB"
    )
    reading = read(text)
    (failure,) = reading.failures
    assert (failure.message_kind, failure.backend, failure.rank) == ("allocator_oom", "hpu", 3)
    assert failure.quantities["requested"].low == failure.quantities["requested"].high == 939524096
    assert reading.capacities == ()
    assert "backend" not in reading.runs[0].facts
    cut = only(text[:-9])
    assert (cut.truncated, dict(cut.quantities)) == (True, {})


ATTEMPT = (
    "[rank1]:[W812 16:00:28.643448608 CUDACachingAllocator.cpp:3933] memory allocation failed with OOM on "
    "device 1 while trying to allocate 20971520 bytes (free: 15794176, total: 150111977472).\n"
)


def test_an_attempt_that_the_allocator_repeats_is_no_failure():
    """torch 2.13 prints thousands of them while a server fills its card and all goes well."""
    with pytest.raises(Refused, match="F424"):
        read(ATTEMPT)
    assert MEMBER.accepts(ATTEMPT.encode(), "a.log") == 5
    reading = read(ATTEMPT * 12_000 + f"[rank1]: {CLASS}{sentence()}\n")
    assert [f.pointer.line for f in reading.failures] == [12_001]
    (aside,) = reading.not_observed
    assert aside.pointer.line == 1
    assert "20971520 bytes (free: 15794176, total: 150111977472)" in aside.text
    assert "12000 times, the last on line 12000" in aside.reason


def test_a_probe_of_tensorflow_is_no_failure():
    probe = (
        "2025-01-15 03:22:41.1: I tensorflow/stream_executor/cuda/cuda_driver.cc:733] failed to allocate 2.12G "
        "(2282521344 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory\n"
    )
    reading = read(probe + CLASS + sentence())
    assert [f.pointer.line for f in reading.failures] == [2]
    assert "TensorFlow" in reading.not_observed[0].reason
    with pytest.raises(Refused, match=r"F421.*TensorFlow"):
        read(probe)


@pytest.mark.parametrize(
    "name", ["PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"]
)
def test_the_advice_of_any_version_ends_a_message(name):
    assert whole(only(CLASS + sentence() + ADVICE.replace("PYTORCH_CUDA_ALLOC_CONF", name)))


def test_nccl_with_its_amount_and_its_echo_is_one_event():
    text = (
        "ng3:3063028:3066152 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'\n\n"
        "ng3:3063028:3066152 [3] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 6291456 bytes\n"
        "[rank3]: torch.distributed.DistBackendError: NCCL error in: ../torch/NCCL.cpp:1691, unhandled "
        "cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3\n"
        "[rank3]: ncclUnhandledCudaError: Call to CUDA function failed.\n"
        "[rank3]: Last error:\n[rank3]: Cuda failure 2 'out of memory'\n"
    )
    reading = read(text)
    (failure,) = reading.failures
    assert (failure.library, failure.device_index, failure.rank) == ("nccl", 3, 3)
    assert failure.quantities["requested"].value == 6291456
    assert reading.duplicate_messages == 2


# --- Events ---------------------------------------------------------------------------------------


def test_a_log_line_and_its_traceback_are_one_event():
    text = (
        f"WARNING root: step failed: {sentence()}\nTraceback (most recent call last):\n"
        f"  File 'a.py', line 1\n    x()\n{CLASS}{sentence()}{ADVICE}\n"
    )
    reading = read(text)
    assert len(reading.failures) == 1
    assert (reading.failures[0].pointer.line, reading.duplicate_messages) == (1, 1)


def test_a_cut_log_line_takes_its_figures_from_the_traceback():
    reading = read(f"ERROR {sentence()[:100]}...\nTraceback\n{CLASS}{sentence()}\n")
    (failure,) = reading.failures
    assert whole(failure)
    assert (failure.pointer.line, reading.duplicate_messages) == (3, 1)
    assert failure.message == failure.pointer.text == f"{sentence()}"[: len(failure.message)]
    assert failure.quantities["free"].text in failure.message


def test_layers_of_wrapping_are_one_event():
    worker = "(Worker_TP0 pid=712) ERROR 03-22 09:30:11 [executor.py:949] "
    core = "(EngineCore_DP0 pid=655) ERROR 03-22 09:30:12 [core.py:843] RuntimeError: Worker failed with error "
    text = (
        f"{worker}Traceback (most recent call last):\n{worker}{CLASS}{sentence()}\n"
        f"{core}'{sentence()}', please check the stack trace above for the root cause\n"
        f"RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests.\n"
    )
    reading = read(text)
    assert len(reading.failures) == 1
    assert (reading.failures[0].rank, reading.duplicate_messages) == ("TP0", 2)


def test_ranks_that_wrap_their_messages_at_one_time():
    text = sentence(2)
    cut = text.index("of which") + 2
    reading = read(
        f"[rank2]: {text[:cut]}\n[rank0]: something\n[rank2]: {text[cut:].lstrip()}\n[rank0]: else\n"
    )
    assert whole(reading.failures[0], device=2)


def test_each_line_of_a_log_in_a_string_has_its_own_speaker():
    log = (
        f"[rank3]: Traceback (most recent call last):\n[rank3]:   File 'a.py'\n[rank3]: {CLASS}{sentence(3)}\n"
        f"INFO done\n{CLASS}{sentence(1)}\n12.4s\t49\t{CLASS}{sentence(2)}\n"
    )
    for text in (json.dumps({"log": log}), json.dumps({"outer": json.dumps({"log": log})})):
        assert [(f.rank, f.device_index) for f in read(text).failures] == [
            (3, 3),
            (None, 1),
            (None, 2),
        ]


def test_a_traceback_speaks_for_its_own_exception_alone():
    text = (
        "[2025-05-08 11:20:07 TP0] Scheduler hit an exception: Traceback (most recent call last):\n"
        f"  File 'a.py', line 1\n{CLASS}{sentence(0)}\nINFO another program\n{CLASS}{sentence(1)}\n"
    )
    assert [f.rank for f in read(text).failures] == ["TP0", None]


def test_a_containers_traceback_is_not_that_of_a_line_outside():
    inside = f"Traceback (most recent call last):\napp-1  | [rank2]: {CLASS}{sentence(2)}\n"
    text = f"app-1  | [rank2]: {inside}\n    {sentence(1)}\n"
    assert [f.rank for f in read(text).failures] == [2, None]


def test_an_engine_core_among_several_is_named():
    other = "(EngineCore_DP1 pid=392) INFO 11-04 07:41:22 [core.py:77] ready\n"
    failed = f"(EngineCore_DP0 pid=391) ERROR 11-04 07:41:22 [core.py:843] {CLASS}{sentence()}\n"
    assert [f.rank for f in read(failed).failures] == [None]
    assert [f.rank for f in read(other + failed).failures] == ["DP0"]


def test_two_ranks_with_equal_figures_are_two_events():
    reading = read(f"[rank0]: {CLASS}{sentence(0)}\n[rank1]: {CLASS}{sentence(0)}\n")
    assert [f.rank for f in reading.failures] == [0, 1]
    assert reading.duplicate_messages == 0


def test_two_tests_with_equal_figures_are_two_events():
    line = (
        "2026-01-15T03:22:41.1Z FAILED [0.0003s] test/test_ops.py::TestOps::test_{} - "
        + CLASS
        + sentence()
    )
    reading = read(f"{line.format('one')}\n{line.format('two')}\n")
    assert len(reading.failures) == 2
    assert reading.duplicate_messages == 0


def test_a_report_of_pytest_repeats_each_test_once():
    text = (
        "=== FAILURES ===\n"
        f"______ TestA.test_one ______\n    def test_one():\nE       {CLASS}{sentence()}\n"
        f"______ TestA.test_two ______\nE       {CLASS}{sentence()}\n"
        "=== short test summary info ===\n"
        f"FAILED a.py::TestA::test_one - {CLASS}{sentence()[:90]}...\n"
        f"FAILED a.py::TestA::test_two - {CLASS}{sentence()}\n"
    )
    reading = read(text)
    assert [f.pointer.line for f in reading.failures] == [4, 6]
    assert reading.duplicate_messages == 2


def test_a_report_may_begin_with_the_heading_of_a_test():
    text = f"______ test_one ______\nE  {CLASS}{sentence()}\n______ test_two ______\nE  {CLASS}{sentence()}\n"
    reading = read(text)
    assert [f.pointer.line for f in reading.failures] == [2, 4]


@pytest.mark.parametrize(
    ("between", "events"),
    [
        ("=== run 2 ===", 2),
        ("2026-01-02 03:04:05 ----- config 3/8 -----", 2),
        ("+ python train.py --bs 4", 2),
        ("2026-01-15T03:22:41.1Z ##[group]Run python bench.py", 2),
        ("=" * 60, 1),
        ("=========== short report ===========", 1),
        ("command: train.py --seed 42", 1),
    ],
)
def test_a_heading_of_another_run_parts_two_events(between, events):
    step = f"Traceback (most recent call last):\n  File 'a.py', line 1\n{CLASS}{sentence()}\n"
    reading = read(f"{step}{between}\n{step}")
    assert (len(reading.failures), reading.duplicate_messages) == (events, 2 - events)


@pytest.mark.parametrize(
    ("times", "events"),
    [
        (("10:00:01", "10:00:03"), 1),
        (("10:00:01", "10:00:00"), 1),
        (("10:00:01", "10:02:01"), 2),
        (("23:59:59", "00:00:02"), 1),
        (("23:59:59", "00:04:02"), 2),
    ],
)
def test_a_server_that_fails_again_minutes_later_has_failed_twice(times, events):
    text = "".join(f"2025-10-10 {time},101 ERROR {sentence()}\n" for time in times)
    reading = read(text)
    assert (len(reading.failures), reading.duplicate_messages) == (events, 2 - events)


def test_where_to_look_for_an_error_code_is_no_further_message():
    text = (
        "torch.AcceleratorError: CUDA error: out of memory\n"
        "Search for `cudaErrorMemoryAllocation' in https://docs.example.org/runtime.html for more.\n"
    )
    reading = read(text)
    assert (len(reading.failures), reading.duplicate_messages) == (1, 0)


def test_two_commands_of_a_session_are_two_events():
    step = f"Traceback (most recent call last):\n  File '<stdin>', line 1\n{CLASS}{sentence()}\n"
    assert len(read(f">>> a\n{step}>>> b\n{step}").failures) == 2


def test_the_two_lines_of_thc_are_one_event():
    reading = read(
        "THCudaCheck FAIL file=/pytorch/torch/lib/THC/generic/THCStorage.cu line=58 error=2 : out of memory\n"
        "Traceback (most recent call last):\n  File 'main.py', line 445, in <module>\n"
        "RuntimeError: cuda runtime error (2) : out of memory at /pytorch/THC/generic/THCStorage.cu:58\n"
    )
    assert [f.pointer.line for f in reading.failures] == [1]
    assert reading.duplicate_messages == 1


def test_a_run_that_shrinks_its_batch_recovers_until_it_does_not():
    text = (
        f"{CLASS}{sentence()}\nINFO Decreasing batch size to: 4.\n"
        f"{CLASS}{sentence(requested='600.00 MiB')}\nINFO Decreasing batch size to: 2.\n"
        f"{CLASS}{sentence(requested='300.00 MiB')}\n"
    )
    assert [f.recovered for f in read(text).failures] == [True, True, None]


def test_a_skipped_batch_is_a_failure_that_the_program_survived():
    text = f"| WARNING: ran out of memory with exception: {brackets()};\n Skipping batch\n"
    assert only(text).recovered is True


@pytest.mark.parametrize(
    "text",
    [
        "If you see CUDA error: out of memory, lower the batch size",
        '    raise RuntimeError("CUDA error: out of memory")',
        '    if "CUDA error: out of memory" in str(e):',
    ],
)
def test_advice_and_source_code_are_no_failure(text):
    reading = read(f"{text}\nRuntimeError: CUDA error: out of memory\n")
    assert [f.pointer.line for f in reading.failures] == [2]
    assert len(reading.not_observed) == 1


# --- What a reading says, and what it never says --------------------------------------------------


def test_a_failure_is_a_run_that_failed_and_a_capacity_but_no_observation():
    """C11: no size asked for, no sum of used and asked for, becomes a need."""
    reading = read(CLASS + sentence())
    (run,) = reading.runs
    assert (run.outcome, run.whole_loop, run.phases) == ("failure", False, ())
    assert run.failure == reading.failures[0]
    assert (run.facts["backend"].value, run.facts["backend"].printed) == ("cuda", True)
    assert reading.observations == run.observations == ()
    (capacity,) = reading.capacities
    assert (capacity.counter, capacity.device_index) == ("oom_total_capacity", 3)
    assert capacity.value.low <= 23.64 * GIB <= capacity.value.high


def test_what_others_hold_is_at_least_what_is_listed():
    (capacity,) = read(CLASS + sentence()).capacities
    assert capacity.others.low == 641723270
    assert capacity.others.high >= capacity.others.low
    text = sentence().replace(
        "Including non-PyTorch memory, this process has 22.76 GiB memory in use. ", ""
    )
    reading = read(CLASS + text)
    assert reading.capacities[0].others is None
    assert any(w.startswith("self_process_not_identified") for w in reading.warnings)


def test_rocm_is_called_hip_where_a_fiche_states_backends():
    reading = read(CLASS + sentence().replace("CUDA", "HIP"))
    assert (reading.backend, reading.runs[0].facts["backend"].value) == ("rocm", "hip")


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        ({"allocated": "30.00 GiB"}, "allocated_exceeds_capacity"),
        ({"requested": "40.00 GiB"}, "requested_exceeds_capacity"),
        ({"free": "2.00 GiB"}, "free_exceeds_requested"),
        ({"free": "84.98 GiB"}, "free_exceeds_capacity"),
        ({"process_in_use": "17179869184.00 GiB"}, "nvml_value_not_available"),
        ({"free": "894.44 MiB is free. 1.00 GiB allowed; x"}, "limited_below_capacity"),
    ],
)
def test_what_a_reader_should_be_told(changed, warning):
    text = sentence(**changed).replace("x is free. ", "")
    warnings = read(CLASS + text).warnings
    assert any(w.startswith(warning) for w in warnings), warnings
    assert read(CLASS + sentence()).warnings == ()


def test_not_available_is_missing_and_never_a_size():
    failure = only(CLASS + sentence(process_in_use="17179869184.00 GiB"))
    value = failure.quantities["process_in_use"]
    assert (value.unavailable, value.low, value.value) == (True, None, None)


def test_the_advice_is_static_and_no_setting_is_read_from_it():
    reading = read(CLASS + sentence() + ADVICE)
    assert "allocator.settings" not in reading.runs[0].facts
    assert "expandable" not in reading.failures[0].message


def test_a_text_without_failure_is_refused():
    with pytest.raises(Refused, match="F424"):
        read("all went well\n")
    with pytest.raises(Refused, match=r"F421.*SQLite database"):
        read("SQLite format 3\x00")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (CLASS + sentence(), 90),
        (CLASS + sentence()[:70], 90),
        ("RuntimeError: CUDA error: out of memory", 60),
        ("ggml_cuda_init: CUDA error: out of memory", 0),
        ("an ordinary log of CUDA", 0),
        ("\x00\x01 binary", 0),
    ],
)
def test_how_sure_it_is(text, score):
    assert MEMBER.accepts(text.encode(), "x.log") == score


@pytest.mark.parametrize(
    ("stop", "device", "names"),
    [
        ("GPU 0", None, {"requested"}),
        ("GPU 0 h", 0, {"requested"}),
        ("GPU 0 has a total capac", 0, {"requested"}),
        ("capacity of 23.6", 0, {"requested"}),
        ("capacity of 23.68 GiB", 0, {"requested", "total_capacity"}),
        ("of which 233.06 Mi", 0, {"requested", "total_capacity"}),
        ("of which 233.06 MiB", 0, {"requested", "total_capacity", "free"}),
    ],
)
@pytest.mark.parametrize("behind", ["", "\n", "...", "…", "\nhas a reply"])
def test_a_title_keeps_what_stands_in_full_before_the_cut(stop, device, names, behind):
    title = (
        "CUDA out of memory. Tried to allocate 794.00 MiB. GPU 0 has a total capacity of 23.68 GiB of which "
        "233.06 MiB is free."
    )
    failure = only(title[: title.index(stop) + len(stop)] + behind)
    assert (failure.device_index, set(failure.quantities)) == (device, names)
    assert failure.truncated


# --- Hostile and huge -----------------------------------------------------------------------------


ALL = [CLASS + sentence() + ADVICE, "RuntimeError: " + brackets(), MPS, IPEX, six_lines()]


@given(
    st.sampled_from(ALL),
    st.data(),
    st.sampled_from(["", "\n", "...", "…", "\n12 errors", " 7.00 GiB", "9"]),
)
def test_a_cut_message_never_shows_a_wrong_figure(message, data, rest):
    """Whatever is cut off and whatever follows: each figure that is read is one of the whole message."""
    right = figures(only(message))
    cut = message[: data.draw(st.integers(0, len(message)))]
    if rest.endswith("GiB") and cut.rstrip().endswith(("allocate", ":", " of", " of which")):
        rest = ""  # there it is the figure that the text has
    try:
        failures = read(cut + rest).failures
    except Refused:
        return
    for failure in failures:
        assert figures(failure).items() <= right.items()


@given(st.sampled_from(ALL), st.integers(20, 120), st.data())
def test_a_cut_and_wrapped_message_never_shows_a_wrong_figure(message, width, data):
    right = figures(only(message))
    cut = message[: data.draw(st.integers(0, len(message)))]
    try:
        failures = read(hard_wrapped(cut, width)).failures
    except Refused:
        return
    for failure in failures:
        assert figures(failure).items() <= right.items()


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_read_or_refused(content):
    refusals = []
    try:
        MEMBER.read(content, DIGEST)
    except Refused as refused:
        refusals = refused.diagnostics
    assert all(told.address.sha256 == DIGEST for told in refusals)


@given(
    st.lists(
        st.sampled_from(
            [
                *ALL,
                "[rank1]: ",
                "\n",
                "\r",
                "\x1b[31m",
                "\\n",
                "%",
                "GPU 1",
                "Process 7 has ",
                "\x00",
            ]
        ),
        max_size=12,
    )
)
def test_pieces_of_messages_in_any_order_are_read_or_refused(parts):
    try:
        reading = read("".join(parts))
    except Refused:
        return
    assert all(failure.pointer.line >= 1 for failure in reading.failures)


@given(st.integers(0, 1 << 42), st.integers(1, 1 << 42))
def test_any_figure_of_torch_is_read_as_an_interval_around_it(requested, total):
    text = sentence(requested=format_size(requested), total_capacity=format_size(total))
    failure = only(CLASS + text)
    for name, count in (("requested", requested), ("total_capacity", total)):
        value = failure.quantities[name]
        assert value.low <= count <= value.high


def timed(content):
    start = time.process_time()
    try:
        reading = MEMBER.read(content, DIGEST)
    except Refused as refused:
        reading = refused
    return time.process_time() - start, reading


@pytest.mark.slow
def test_a_log_of_fifty_megabytes():
    line = b"2025-06-05 06:18:13,123 INFO train.py:88 step=1234 loss=0.58 memory 12.3 GiB of 24 error=0\n"
    content = line * (50_000_000 // len(line)) + (CLASS + sentence()).encode()
    seconds, reading = timed(content)
    assert whole(reading.failures[0])
    assert reading.failures[0].pointer.line == content.count(b"\n") + 1
    assert seconds < 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        b" ",
        b"\\n",
        b"\x1b[31m",
        b"CUDA ",
        b"CUDA error: ",
        b"Tried to ",
        b"'",
        b"9",
        b"_ ",
        b"[rank1",
        b"out of memory",
        b"(pid=1 ",
        b"| ",
        b"Process 1 has 1.00 MiB memory in use. ",
        b"2025-06-05 06:18:13 ",
    ],
)
def test_adversarial_lines_take_linear_time(unit):
    start = sentence()[: sentence().index("Process")].encode()
    content = start + unit * (4_000_000 // len(unit)) + b"\n" + (CLASS + sentence()).encode()
    seconds, _ = timed(content)
    assert seconds < 15


@pytest.mark.parametrize("limit", ["MAX_MESSAGES", "MAX_PLACES"])
def test_more_messages_than_a_log_can_hold_are_refused(monkeypatch, limit):
    monkeypatch.setattr(_scan, limit, 20)
    text = f"{CLASS}{sentence()}\n"
    assert len(read(text * 10).failures) == 1
    with pytest.raises(Refused, match="F427"):
        read(text * 25)


def test_more_messages_than_a_line_can_hold_are_refused(monkeypatch):
    monkeypatch.setattr(_scan, "MAX_ON_A_LINE", 20)
    text = f"{CLASS}{sentence()} "
    assert len(read(text * 10).failures) == 1
    assert len(read(f"{text}\n" * 25).failures) == 1
    with pytest.raises(Refused, match="F427"):
        read(text * 25)


def test_line_numbers_of_a_long_log_stay_right():
    lines = [f"line {n}" for n in range(1, 5_000)]
    for n in (10, 999, 4_000):
        lines[n - 1] = f"{CLASS}{sentence(n % 7, requested=f'{n}.00 MiB')}"
    assert [f.pointer.line for f in read("\n".join(lines)).failures] == [10, 999, 4_000]


@pytest.mark.parametrize(
    "tail", ["", " \nTraceback", " \n\nGot an OOM, unloading all loaded models.", "\x00"]
)
def test_cuda_malloc_async_prints_its_device_as_a_character_where_readers_stop(tail):
    """evidence_formats 1.2: the index is a one-byte integer, so its text often ends there."""
    failure = only(
        "!!! Exception during processing !!! Allocation on device \n"
        f"torch.OutOfMemoryError: Allocation on device {tail}"
    )
    assert (failure.message_kind, failure.truncated, failure.device_index) == (
        "allocator_oom",
        True,
        None,
    )
    assert failure.quantities == {}


def test_a_device_printed_as_a_character_is_not_known():
    text = (
        "Allocation on device \x00 would exceed allowed memory. (out of memory)\n"
        "Currently allocated     : 7.50 GiB\n"
    )
    failure = only(text)
    assert failure.device_index is None
    assert failure.quantities["allocated"].text == "7.50 GiB"


def test_other_words_about_a_device_are_no_failure():
    with pytest.raises(Refused):
        read("Allocation on device 0 done\nOutOfMemoryError: Allocation on device 0 is allowed\n")
