"""Failures without figures: the driver's error, a library that could not allocate, a wrapper's word.

Patterns are for squeezed text. None of these messages says how much was asked or was free.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from fiche.importers._found import Draft
from fiche.importers._scan import Message
from fiche.kernel.lazy import lazy
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

STARTS = (
    rb"(?P<thc>THCudaCheckFAIL[^=]{0,12}=[^=]{1,300}=\d{1,6}error=2:outofmemory)"
    rb"|(?P<driver>(?:CUDA|HIP|[Cc]uda|hip)(?P<layer>driver|runtime)?[Ee]rror"
    rb"(?:\(\d{1,4}\)|\d{1,4})?:outofmemory)"
    rb"|(?P<triton>TritonError\[(?:CUDA|HIP)\]:outofmemory)"
    rb"|(?P<quoted>[Cc]udaerror[\w./\\:-]{0,200}'outofmemory')"
    rb"|(?P<code>cudaErrorMemoryAllocation|hipErrorOutOfMemory|hipErrorMemoryAllocation"
    rb"|(?:UR|ZE|PI)_(?:RESULT_)?ERROR_OUT_OF_DEVICE_MEMORY|CUDA_ERROR_OUT_OF_MEMORY)"
    rb"|(?P<library>(?P<name>CUBLAS|CUDNN|CUSOLVER|CUSPARSE|CUFFT|HIPBLAS|HIPSPARSE|NCCL)"
    rb"_(?:STATUS_)?ALLOC_FAILED|CUDNN_STATUS_NOT_SUPPORTED|rocblas_status_memory_error|miopenStatusAllocFailed)"
    rb"|(?P<collective>(?:Cuda|CUDA|HIP|Hip)failure(?:\d{1,4})?'?outofmemory'?)"
    rb"|(?P<calloc>FailedtoCUDAcalloc(?:async)?(?P<bytes>\d{1,20})bytes)"
    rb"|(?P<hpu>MODULE:PT_DEVMEMAllocationfailed)"
    rb"|(?P<wrapper>(?:CUDA|HIP|XPU)outofmemory)"
)
_NOT_SUPPORTED = tell(
    "cause_uncertain: cudnn answers NOT_SUPPORTED where its workspace finds no memory, "
    "and for shapes and layouts that it does not know"
)


def _uncertain(name: str) -> str:
    return tell(
        "cause_uncertain: {name} could not allocate; too little free device memory is usual, a version clash "
        "or a bad index gives the same text",
        name=name,
    )


def read_bare(message: Message) -> Draft | None:
    """Read one message that matched `STARTS`; None when another grammar's pattern matched."""
    groups = message.match.groupdict()
    for name, read in _READERS.items():
        if groups.get(name) is not None:
            return read(message)
    return None


def _driver(message: Message, shape: str) -> Draft:
    word = message.match[0]
    backend = "xpu" if word[:2] in (b"UR", b"ZE", b"PI") else _maker(word)
    return Draft(
        message=message,
        end=message.match.end(),
        message_kind="driver_oom",
        shape=shape,
        backend=backend,
    )


def _maker(word: bytes) -> str:
    return "rocm" if re.match(rb"HIP|Hip|hip|TritonError\[HIP|roc|mi", word) else "cuda"


def _error(message: Message) -> Draft:
    layer = message.match["layer"]
    maker = "hip" if message.match[0].lower().startswith(b"hip") else "cuda"
    middle = {b"driver": "-driver-error", b"runtime": "-runtime-error"}.get(layer, "-error")
    return _driver(message, maker + middle)


def _library(message: Message) -> Draft:
    printed = message.match["name"] or message.match[0]
    name = re.split(rb"_|[Ss]tatus", printed)[0].decode().lower()
    found = _failed(message, name)
    if message.match[0].endswith(b"NOT_SUPPORTED"):
        found.warnings = [_NOT_SUPPORTED]
    found.end = _call(message, found.end)
    return found


_CALL = lazy(rb"whencalling`?[\w:]{1,60}\([^`)]{0,80}\)`?")


def _call(message: Message, end: int) -> int:
    match = _CALL.match(message.text.text, end)
    return match.end() if match else end


def _failed(message: Message, name: str) -> Draft:
    word = message.match[0]
    backend = "rocm" if name.startswith(("hip", "roc", "miopen", "rccl")) else _maker(word)
    return Draft(
        message=message,
        end=message.match.end(),
        message_kind="library_alloc_failed",
        shape="library-alloc",
        backend=backend,
        library=name,
        warnings=[_uncertain(name)],
    )


_NCCL_DEVICE = lazy(rb":\d{1,9}:\d{1,9} \[(\d{1,3})\] [^\n]{0,120}NCCL WARN")


def _collective(message: Message) -> Draft:
    """NCCL prints `host:pid:thread [device]` in front of its own warnings."""
    rocm = message.match[0][:3] in (b"HIP", b"Hip")
    found = _failed(message, "rccl" if rocm else "nccl")
    device = _NCCL_DEVICE.search(message.front)
    found.device_index = int(device[1]) if device else None
    return found


def _calloc(message: Message) -> Draft:
    found = _collective(message)
    asked = message.match["bytes"].decode()
    if not message.text.broken(message.match.start("bytes"), message.match.end("bytes")):
        found.quantities["requested"] = exact_bytes(int(asked))
    return found


_DEVMEM = lazy(rb"forsize::?(\d{1,20})\((\d{1,12})\)MB")


def _hpu(message: Message) -> Draft:
    """Gaudi's bridge prints the request in bytes, and again in whole megabytes."""
    message = message.whole()
    found = Draft(
        message=message,
        end=message.match.end(),
        message_kind="allocator_oom",
        shape="hpu",
        backend="hpu",
        complete=False,
    )
    text = message.text
    asked = _DEVMEM.match(text.text, found.end)
    if asked is not None and not text.torn(asked.start(1), asked.end(1)):
        found.end, found.complete = asked.end(), True
        found.quantities["requested"] = exact_bytes(int(asked[1]))
    return found


_THROWN = lazy(rb"(?:Error|Exception):?[ \t\x1b\[0-9;m]{0,24}$")


def _wrapper(message: Message) -> Draft | None:
    """`RuntimeError: CUDA out of memory ...` in somebody else's words, or cut after the first three.

    Only as an exception's text: elsewhere the three words are prose.
    """
    if not _THROWN.search(message.front[-80:]):
        return None
    maker = {b"C": "cuda", b"H": "rocm", b"X": "xpu"}[message.match[0][:1]]
    end = message.match.end()
    rest = message.text.text[end : message.text.line_end(end)]
    cut = not rest.strip(b".\"'`)}],\\\xe2\x80\xa6") or rest.startswith(b".T") or b"\x1b" in rest
    return Draft(
        message=message,
        end=end,
        message_kind="allocator_oom",
        shape="wrapper",
        backend=maker,
        complete=not cut,
        bare=True,
    )


_READERS: dict[str, Callable[[Message], Draft | None]] = {
    "thc": lambda message: _driver(message, "cuda-runtime-error"),
    "driver": _error,
    "triton": lambda message: _driver(message, "triton-driver-error"),
    "quoted": lambda message: _driver(message, "cuda-error"),
    "code": lambda message: _driver(message, "driver-code"),
    "library": _library,
    "collective": _collective,
    "calloc": _calloc,
    "hpu": _hpu,
    "wrapper": _wrapper,
}
