"""The messages of torch's own allocators, every part optional: they are cut and wrapped anywhere.

Sources: `c10/cuda/CUDACachingAllocator.cpp` from 0.4 to 2.13, `CUDAMallocAsyncAllocator.cpp`,
`c10/xpu/XPUCachingAllocator.cpp`, IPEX `CachingDeviceAllocator.cpp`, `MPSAllocator.mm`. All patterns
are for squeezed text: no blanks, no line breaks.
"""

from __future__ import annotations

import re

from fiche.importers._found import Draft
from fiche.importers._scan import Message
from fiche.importers._sizes import MPS_SIZE, SIZE, printed
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import OtherProcess
from fiche.kernel.rounding import printed_interval, unavailable
from fiche.kernel.said import tell

STARTS = (
    rb"(?P<native>(?:CUDA|HIP|XPU)outofmemory\.?Triedtoallocate)"
    rb"|(?P<block>CurrentplatformcanNOTallocatememoryblockwithsizelargerthan4GB!)"
    rb"|(?P<mps>MPSbackendoutofmemory)"
    rb"|(?P<pooled>Allocationondevice(?:\d{1,3})?wouldexceedallowedmemory(?:\.\(outofmemory\))?)"
    rb"|OutOfMemoryError:(?P<nul>Allocationondevice)(?!\d|would)"
)
_BACKENDS = {b"CUDA": "cuda", b"HIP": "rocm", b"XPU": "xpu"}
_EXABYTE = 1 << 60


def read_allocator(message: Message) -> Draft | None:
    """Read one message that matched `STARTS`; None when another grammar's pattern matched."""
    groups = message.match.groupdict()
    for name, read in _READERS.items():
        if groups.get(name) is not None:
            found = read(message)
            return found if found.complete else read(message.whole())
    return None


def _new(message: Message, shape: str, backend: str, allocator: str | None = None) -> Draft:
    return Draft(
        message=message,
        end=message.match.end(),
        message_kind="allocator_oom",
        shape=shape,
        backend=backend,
        allocator=allocator,
        complete=False,
    )


def _native(message: Message) -> Draft:
    backend = _BACKENDS[message.text.text[: message.text.text.index(b"out")]]
    found = _new(message, "", backend, "native")
    _requested(found)
    _details(found)
    found.shape = found.shape or _shape(found)
    return found


def _shape(found: Draft) -> str:
    """The era of a message that breaks off before it shows its form."""
    if found.backend == "xpu":
        return "xpu-2.8"
    return "sentence-2.1" if b"torch.cuda." in found.message.front[-60:] else "sentence-2.5"


_EXA = lazy(rb"morethan1EBmemory\.?")
_REQUESTED = lazy(SIZE + rb"(?=(\(GPU|\.GPU)?)")


def _requested(found: Draft) -> None:
    text = found.message.text.text
    exa = _EXA.match(text, found.end)
    if exa is not None:
        found.end, found.complete = exa.end(), True
        found.message_kind, found.shape = "allocation_size_limit", "size-check"
        found.quantities["requested_at_least"] = printed_interval("1EB", _EXABYTE, "lower-bound")
        return
    _take(found, _REQUESTED, "requested")


def _take(found: Draft, pattern: re.Pattern[bytes], name: str) -> bool:
    """Read one figure (group 1, its label in group 2) and move on; False where it does not stand.

    Most figures count only with their label behind them: a message that is cut in front of a figure may
    be followed by anything. Without a label no line break may run through the figure.
    """
    squeezed = found.message.text
    match = pattern.match(squeezed.text, found.end)
    if match is None or not _one_number(found, match, 1):
        return False
    if match[2] is None and squeezed.broken(match.start(1), match.end(1)):
        return False
    found.quantities.setdefault(name, printed(match[1]))
    found.end = match.end()
    return True


_ELLIPSIS = b".\xe2\x80\xa6"
_LAST_FIGURE = lazy(SIZE)


def _take_last(found: Draft, name: str) -> None:
    """Read a figure with which a cut line ends: on the line of the words before it, nothing behind it."""
    squeezed = found.message.text
    match = _LAST_FIGURE.match(squeezed.text, found.end)
    if match is None or not _one_number(found, match, 1):
        return
    rest = squeezed.text[match.end() : squeezed.line_end(found.end - 1)]
    if not squeezed.broken(found.end - 1, match.end()) and not rest.strip(_ELLIPSIS):
        found.quantities.setdefault(name, printed(match[1]))
        found.end = match.end()


_DIGITS = lazy(rb"[\d.]+")


def _one_number(found: Draft, match: re.Match[bytes], group: int) -> bool:
    """False where a blank stood between the digits: `1 2.00 GiB` is a cut message and something else."""
    squeezed = found.message.text
    digits = _DIGITS.match(squeezed.text, match.start(group))
    return digits is not None and not squeezed.torn(digits.start(), digits.end())


def _details(found: Draft) -> None:
    text = found.message.text.text
    opening = _OPENING.match(text, found.end)
    if opening is not None and _one_number(found, opening, 1):
        found.device_index, found.end = int(opening[1]), opening.end()
        _bracketed(found)
        return
    sentence = _SENTENCE.match(text, found.end)
    if sentence is not None and _one_number(found, sentence, 1):
        found.device_index, found.end = int(sentence[1]), sentence.end()
        found.shape = "xpu-2.8" if found.backend == "xpu" else _sentence_shape(found, sentence)
        _spoken(found)
    else:
        _begun(found)


_BEGUN = lazy(rb"\.GPU(\d{1,3})")


def _begun(found: Draft) -> None:
    """A sentence that breaks off before its first figure: the index stands if the next word begins."""
    squeezed = found.message.text
    begun = _BEGUN.match(squeezed.text, found.end)
    if begun is not None and not squeezed.broken(begun.start(), begun.end() + 1):
        rest = squeezed.text[begun.end() : squeezed.line_end(begun.end())].rstrip(_ELLIPSIS)
        if rest and any(words.startswith(rest) for words in _OF_THE_SENTENCE):
            if _one_number(found, begun, 1):
                found.device_index = int(begun[1])
            found.end = begun.end() + len(rest)
            return
    cut = _CUT.match(squeezed.text, found.end)
    found.end = cut.end() if cut else found.end


_OPENING = lazy(rb"\(GPU(\d{1,3});")
_ITEM = lazy(
    SIZE
    + rb"(totalcapacity|alreadyallocated|free|allowed|cached|reserved(?:intotal(?:byPyTorch)?)?)[;,)]?"
)
_ITEMS = {
    b"totalcapacity": "total_capacity",
    b"alreadyallocated": "allocated",
    b"free": "free",
    b"allowed": "allowed",
    b"cached": "reserved_unallocated",
}
_LAST = {b"cached", b"reservedintotalbyPyTorch"}


def _bracketed(found: Draft) -> None:
    """`(GPU i; T total capacity; ...)`; the last figure excludes what is allocated until torch 1.4."""
    text = found.message.text.text
    while not found.complete:
        match = _ITEM.match(text, found.end)
        if match is None or not _one_number(found, match, 1):
            break
        found.quantities.setdefault(_ITEMS.get(match[2], "reserved_total"), printed(match[1]))
        found.end = match.end()
        found.complete = match[2] in _LAST
    form = "paren-cached" if "reserved_unallocated" in found.quantities else "paren-reserved"
    found.shape = found.shape or (f"xpu-{form}" if found.backend == "xpu" else form)


_OF_THE_SENTENCE = (b"hasatotalcapacityof", b"hasatotalcapactyof")
_SENTENCE = lazy(rb"\.GPU(\d{1,3})hasatotalcapac(i?)tyof")
_CUT = lazy(rb"\.(?:GPU)?")
_CAPACITY = lazy(SIZE + rb"(ofwhich|of|\.)")
_FREE = lazy(SIZE + rb"(isfree|is)\.?")
_OTHER = lazy(rb"Process(\d{1,10})has" + SIZE + rb"memoryinuse\.?")
_OWN = lazy(rb"Includingnon-PyTorchmemory,thisprocesshas" + SIZE + rb"(memoryinuse)\.?")
_ALLOWED = lazy(SIZE + rb"(allowed);?")
_ALLOCATED = lazy(rb"Oftheallocatedmemory" + SIZE + rb"(isallocatedbyPyTorch|is),?")
_POOLS = lazy(
    rb"with"
    + SIZE
    + rb"(allocatedinprivatepools|allocated)(?:\(e\.g\.,?(?:CUDA|HIP|XPU)Graphs\))?,?"
)
_RESERVED = lazy(rb"and" + SIZE + rb"(isreservedbyPyTorchbutunallocated|is)\.?")
_CLAUSES = (
    (_OWN, "process_in_use"),
    (_ALLOWED, "allowed"),
    (_ALLOCATED, "allocated"),
    (_POOLS, "in_private_pools"),
    (_RESERVED, "reserved_unallocated"),
)


def _sentence_shape(found: Draft, sentence: re.Match[bytes]) -> str:
    """`capacty` until 2.1, `torch.cuda.OutOfMemoryError` until 2.4, then today's sentence."""
    old = not sentence[2] or b"torch.cuda." in found.message.front[-60:]
    return "sentence-2.1" if old else "sentence-2.5"


def _spoken(found: Draft) -> None:
    """`GPU i has a total capacity of T of which F is free. ...`, its clauses in any order."""
    if not _take(found, _CAPACITY, "total_capacity"):
        _take_last(found, "total_capacity")
    elif not _take(found, _FREE, "free"):
        _take_last(found, "free")
    while _process(found) or any(_take(found, *clause) for clause in _open_clauses(found)):
        pass
    found.complete = found.message.text.text.endswith(b"unallocated", 0, found.end) or (
        found.message.text.text.endswith(b"unallocated.", 0, found.end)
    )


def _open_clauses(found: Draft) -> list[tuple[re.Pattern[bytes], str]]:
    return [clause for clause in _CLAUSES if clause[1] not in found.quantities]


def _process(found: Draft) -> bool:
    match = _OTHER.match(found.message.text.text, found.end)
    if match is None or not (_one_number(found, match, 1) and _one_number(found, match, 2)):
        return False
    found.other_processes.append(OtherProcess(pid=int(match[1]), in_use=printed(match[2])))
    found.end = match.end()
    return True


def _block(message: Message) -> Draft:
    """IPEX: one block may not exceed 4 GB on this platform; the memory may be free."""
    found = _new(message, "block-limit", "xpu")
    found.message_kind = "allocation_size_limit"
    tried = _TRIED.match(message.text.text, found.end)
    if tried is not None:
        found.end = tried.end()
        _requested(found)
        _details(found)
    return found


_TRIED = lazy(rb"Triedtoallocate")
_MPS_PARTS = (
    (lazy(rb"\((?:MPS|currently)allocated:" + MPS_SIZE + rb"([,)])"), "allocated"),
    (lazy(rb"otherallocations:" + MPS_SIZE + rb"([,)])"), "other_in_use"),
    (lazy(rb"maxallowed:" + MPS_SIZE + rb"(\))"), "allowed"),
    (
        lazy(rb"\.?Triedtoallocate" + MPS_SIZE + rb"(on)?(?:shared|private)?(?:pool)?"),
        "requested",
    ),
)
_UNLIMITED = lazy(rb"maxallowed:unlimited\)?")


def _mps(message: Message) -> Draft:
    """Unified memory: the limit is a share of what the system recommends, no card's capacity."""
    found = _new(message, "mps", "mps")
    found.memory = "unified"
    for pattern, name in _MPS_PARTS:
        _take(found, pattern, name)
        unlimited = _UNLIMITED.match(message.text.text, found.end)
        if unlimited is not None:
            found.quantities["allowed"], found.end = unavailable("unlimited"), unlimited.end()
    found.complete = "requested" in found.quantities
    if any(q.text.endswith(("KB", "MB", "GB")) for q in found.quantities.values()):
        found.warnings.append(
            tell("unit_label_is_binary: this MPS build writes KB, MB and GB for powers of 1024")
        )
    return found


_WORDS = lazy(rb"\.?\(outofmemory\)")
_NEXT = rb"(?=(Requested|Devicelimit|Free|PyTorchlimit)?)"
_POOLED_PARTS = (
    (lazy(rb"Currentlyallocated:" + SIZE + _NEXT), "allocated"),
    (lazy(rb"Requested:" + SIZE + _NEXT), "requested"),
    (lazy(rb"Devicelimit:" + SIZE + _NEXT), "total_capacity"),
    (lazy(rb"Free\(accordingto(?:CUDA|HIP)\):" + SIZE + _NEXT), "free"),
    (lazy(rb"PyTorchlimit\(setbyuser-suppliedmemoryfraction\):" + SIZE + _NEXT), "allowed"),
)
_DEVICE = lazy(rb"\d+")


def _pooled(message: Message) -> Draft:
    """cudaMallocAsync: six lines, the caller's own request, no reserved figure."""
    text = message.text.text
    found = _new(message, "cuda-malloc-async", "cuda", "cudaMallocAsync")
    device = _DEVICE.search(message.match[0])
    found.device_index = int(device[0]) if device else None
    words = _WORDS.match(text, found.end)
    found.end = words.end() if words else found.end
    for pattern, name in _POOLED_PARTS:
        _take(found, pattern, name)
    if b"accordingtoHIP" in text[: found.end]:
        found.backend = "rocm"
    found.complete = "allowed" in found.quantities
    return found


def _cut_at_nul(message: Message) -> Draft:
    """The same message, cut at the device's number: it is printed as the character of that code."""
    found = _new(message, "cuda-malloc-async", "cuda", "cudaMallocAsync")
    found.complete = False
    return found


_READERS = {"native": _native, "block": _block, "mps": _mps, "pooled": _pooled, "nul": _cut_at_nul}
