"""A kernel that asked for more on-chip memory than there is: no lack of device memory (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.importers._events import Event, events
from fiche.importers._failure_words import ON_CHIP, anchors
from fiche.importers._found import Draft, Found
from fiche.importers._opened import opened, opened_head
from fiche.importers._reading import reading_of
from fiche.importers._scan import Message, messages
from fiche.importers._unsupported import nothing_found
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

_START = lazy(
    rb"(?P<triton>outofresource:(?P<what>(?:shared|tensor)memory|threads|registers),?)"
    rb"|(?P<ptxas>usestoomuchshareddata)"
    rb"|(?P<launch>toomanyresourcesrequestedforlaunch)"
)
_REQUIRED = lazy(rb"Required:(\d{1,12})(,?Hard)")
_LIMIT = lazy(rb",?Hardwarelimit(?:ation)?:(\d{1,12})\.(?!\.)")
_PTXAS = lazy(rb"\((0x[0-9a-f]{1,10})bytes,(0x[0-9a-f]{1,10})max\)")
_OTHER_MAKERS = lazy(rb"\b(?:hip|HIP|rocm|ROCm|gfx\d{3,4}[a-z]?)\b")


def read(content: bytes, sha256: str) -> Reading:
    """Every refusal of a kernel for lack of on-chip memory, repeats counted.

    Raises:
        Refused: the file holds none (F424, or F421 naming a format that is not read yet).
    """
    text = opened(content, sha256)
    found = events(text, _found(text, sha256))
    if not found:
        raise nothing_found(text, sha256, "a kernel's refusal for lack of on-chip memory")
    return reading_of("kernel_resource_limit", sha256, found, (), _warnings)


def _found(content: bytes, sha256: str) -> Iterator[Found]:
    backend = "rocm" if _OTHER_MAKERS.search(content[: 1 << 20]) else "cuda"
    for message in messages(content, ON_CHIP, _START, sha256):
        yield _limited(message, backend).done()


def _limited(message: Message, backend: str) -> Draft:
    triton = message.match["triton"] is not None
    found = Draft(
        message=message,
        end=message.match.end(),
        message_kind="kernel_resource_limit",
        shape="triton-out-of-resources" if triton else "cuda-kernel-resources",
        backend=backend if triton else "cuda",
        memory="on_chip",
        complete=False if triton else None,
    )
    if triton:
        _triton(found)
        if not found.complete:
            found.message, found.end = message.whole(), message.match.end()
            _triton(found)
    elif message.match["ptxas"] is not None:
        _ptxas(found)
    return found


def _triton(found: Draft) -> None:
    """Bytes of one block's shared memory; others are counts: registers, threads, columns of tensor memory.

    A figure counts with what follows it: digits at the end of a cut text may lack their last ones.
    """
    in_bytes = found.message.match["what"] == b"sharedmemory"
    for pattern, name in ((_REQUIRED, "requested"), (_LIMIT, "total_capacity")):
        match = pattern.match(found.message.text.text, found.end)
        if match is None or found.message.text.torn(match.start(1), match.end(1)):
            return
        found.end = match.end(1)
        if in_bytes:
            found.quantities[name] = exact_bytes(int(match[1]))
    found.complete = True


def _ptxas(found: Draft) -> None:
    match = _PTXAS.match(found.message.text.text, found.end)
    if match is None:
        found.complete = False
        return
    found.end = match.end()
    for name, digits in (("requested", match[1]), ("total_capacity", match[2])):
        found.quantities[name] = exact_bytes(int(digits, 16), digits.decode())


def _warnings(event: Event) -> Iterator[str]:
    if event.complete is False:
        yield tell("truncated: the message breaks off; what it did not print is not known")


def accepts(head: bytes, name: str) -> int:
    """80 where such a message stands."""
    text = opened_head(head)
    try:
        return 80 if next(messages(text, ON_CHIP, _START, ""), None) is not None else 0
    except Refused:
        return 0


MEMBER = Importer(
    name="kernel_resource_limit",
    title="On-chip memory that a kernel lacked",
    accepts=accepts,
    read=read,
    anchors=anchors(ON_CHIP),
    log=True,
)
