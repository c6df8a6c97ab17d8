"""The text of mails, line by line, as a reader sees it; attachments are left out.

The parts are told apart here, in one pass a level, and `email` reads the headers of one part at a time:
its own way with parameters and with parts inside parts costs the square of their number (law 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fiche.importers._parsers import parsed
from fiche.importers._refusal import refused
from fiche.importers._web_texts import lines_of, seen
from fiche.kernel.diagnostic import Refused
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Passage

if TYPE_CHECKING:
    from email.message import EmailMessage

MAX_HEADERS = 1000
MAX_HEADER = 64 * 1024
MAX_PARTS = 200
MAX_DEPTH = 20
MAX_CHARACTERS = 5_000_000
# What `email` takes apart word by word: those that tell how a part is written, and those that are shown.
_MAX_STRUCTURED = 2_000
_MAX_PARAMETERS = 50
_MAX_STRUCTURED_OF_ALL = 64 * 1024
_STRUCTURED = ("content-type", "content-disposition", "content-transfer-encoding", "mime-version")
_SHOWN_HEADERS = ("From", "To", "Date", "Subject")
_HINT = "put the words into a text file beside it"
_OF_HEADERS = lazy(rb"From |[!-9;-~]{1,998}:|[ \t]")
_FIELD = lazy(rb"\n(?![ \t])")
_END = lazy(rb"[ \t]{0,100}\r?\n?\Z")
_MAIL, _TEXT = "message/rfc822", "text/plain"


class _Part(NamedTuple):
    """One part as it stands: its headers, its bytes, its type (in lower case) and the charset of its text."""

    head: EmailMessage
    body: bytes
    kind: str
    charset: str


def mail_passages(content: bytes, sha256: str) -> tuple[Passage, ...]:
    """The headers that a reader sees, then the lines of each text in it.

    Raises:
        Refused: its headers or its parts are built as no mail is (F491), or too many or too long (F492).
    """
    found: list[Passage] = []
    left = MAX_CHARACTERS
    for number, part in enumerate(_parts(content, _TEXT, 0, _Bounds(sha256)), 1):
        if number == 1:
            found += _shown(part.head, sha256)
        if number > MAX_PARTS:
            raise _too_much(f"it has more than {MAX_PARTS} parts", sha256)
        text = _text_of(part, sha256)
        left -= len(text)
        if left < 0:
            raise _too_much(f"its text has more than {MAX_CHARACTERS} characters", sha256)
        found += lines_of(text, f"part {number} line")
    return tuple(found)


class _Bounds:
    """What all parts of a mail may have together; `structured` bytes of headers that are taken apart."""

    def __init__(self, sha256: str) -> None:
        self.sha256, self.structured = sha256, _MAX_STRUCTURED_OF_ALL


def _parts(content: bytes, default: str, depth: int, bounds: _Bounds) -> Iterator[_Part]:
    """A part and all inside it, in the order in which they stand."""
    sha256 = bounds.sha256
    if depth > MAX_DEPTH:
        raise _too_much(f"parts stand in parts more than {MAX_DEPTH} deep", sha256)
    end = _end_of_headers(content)
    head = _head(content[:end], bounds)
    told = _read(lambda: head["content-type"], sha256)
    kind = default if told is None else told.content_type
    named = {} if told is None else dict(told.params)
    body = content[end:]
    yield _Part(head, body, kind, str(named.get("charset", "utf-8")))
    if kind == _MAIL:
        yield from _parts(body, _TEXT, depth + 1, bounds)
    elif kind.startswith("multipart/"):
        boundary = str(named.get("boundary", "")).rstrip()
        inner = _MAIL if kind == "multipart/digest" else _TEXT
        for each in _between(body, boundary.encode("utf-8", "surrogatepass")):
            yield from _parts(each, inner, depth + 1, bounds)


def _end_of_headers(content: bytes) -> int:
    """Behind the blank line that ends the headers, or before the first line that can be none of them."""
    at = 0
    while at < len(content) and _OF_HEADERS.match(content, at):
        at = content.find(b"\n", at) + 1 or len(content)
    blank = 2 if content.startswith(b"\r\n", at) else 1 if content.startswith(b"\n", at) else 0
    return at + blank


def _between(body: bytes, boundary: bytes) -> Iterator[bytes]:
    """What stands between the lines of a boundary, which is never empty."""
    mark, start, at = b"--" + boundary, -1, 0
    while boundary and (at := body.find(mark, at)) >= 0:
        end = body.find(b"\n", at) + 1 or len(body)
        behind = body[at + len(mark) : end][:200]
        closes = behind.startswith(b"--")
        begins_line = at == 0 or body[at - 1 : at] == b"\n"
        if begins_line and _END.match(behind[2:] if closes else behind):
            if start >= 0:
                yield body[start : max(at - 1, start)]
            if closes:
                return
            start = end
        at = end
    if start >= 0:
        yield body[start:]


def _head(block: bytes, bounds: _Bounds) -> EmailMessage:
    """The headers of one part, once they are known to be few and short."""
    from email import policy
    from email.parser import BytesParser

    sha256 = bounds.sha256
    fields = _FIELD.split(block, MAX_HEADERS + 1)
    if len(fields) > MAX_HEADERS + 1:
        raise _too_much(f"a part has more than {MAX_HEADERS} headers", sha256)
    for field in fields:
        name = field[:60].partition(b":")[0].strip().lower().decode("latin-1")
        most = _MAX_STRUCTURED if name in _STRUCTURED else MAX_HEADER
        if len(field) > most:
            raise _too_much(f"a header has more than {most} bytes", sha256)
        if name not in _STRUCTURED:
            continue
        if field.count(b";") > _MAX_PARAMETERS:
            raise _too_much(f"a header has more than {_MAX_PARAMETERS} parameters", sha256)
        bounds.structured -= len(field)
        if bounds.structured < 0:
            raise _too_much("the headers of its parts are longer than those of mails are", sha256)
    parser = BytesParser(policy=policy.default)
    return parsed(
        lambda: parser.parsebytes(block, headersonly=True), "F491", _WHAT, sha256, hint=_HINT
    )


_WHAT = "the document cannot be read"


def _read(call: Callable[[], Any], sha256: str) -> Any:  # noqa: ANN401 - `email` has no types for headers
    """What `email` makes of a header; it reads it each time that it is asked for."""
    return parsed(call, "F491", _WHAT, sha256, hint=_HINT)


def _shown(head: EmailMessage, sha256: str) -> Iterator[Passage]:
    """The headers that a reader sees; a very long one as it stands, not decoded."""
    raw = {name.lower(): str(value) for name, value in reversed([*head.raw_items()])}
    for name in _SHOWN_HEADERS:
        text = raw.get(name.lower())
        if text is not None and len(text) <= _MAX_STRUCTURED:
            text = str(_read(partial(head.get, name), sha256))
        if text is not None:
            yield Passage(place=f"header {name}", text=_clean(text))


def _text_of(part: _Part, sha256: str) -> str:
    """The words of a part; empty where it holds no text that is shown."""
    if part.kind not in (_TEXT, "text/html"):
        return ""
    if _read(part.head.get_content_disposition, sha256) == "attachment":
        return ""
    part.head.set_payload(part.body.decode("ascii", "surrogateescape"))
    payload = _read(lambda: part.head.get_payload(decode=True), sha256)
    text = _decoded(payload, part.charset)
    return seen(text) if part.kind == "text/html" else text


def _decoded(payload: object, charset: str) -> str:
    raw = payload if isinstance(payload, bytes) else b""
    try:
        return _clean(raw.decode(charset, "replace"))
    except (LookupError, ValueError):
        return _clean(raw.decode("utf-8", "replace"))


def _clean(text: str) -> str:
    """Halves of characters, which a wrong charset leaves, are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _too_much(why: str, sha256: str) -> Refused:
    message = f"the document is too long: {why}"
    return refused("F492", message, sha256, hint="cite the part that matters")
