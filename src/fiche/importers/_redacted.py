"""A text without what names people, machines and accounts: stable placeholders, the same lines and figures.

`<user-1>` stands for one user wherever that user is named in the file. Nothing is kept of what was replaced
but how often (law 6: a redacted piece is a derived one).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fiche.importers._redaction import Rule
from fiche.importers._redaction_chat import CHATS
from fiche.importers._redaction_ids import CONTAINERS, IDS
from fiche.importers._redaction_names import COMMON, HOSTS, USERS
from fiche.importers._refusal import refused
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record
from fiche.kernel.secret_shapes import SHAPES
from fiche.kernel.secrets import near

_SECRETS = tuple(Rule(one.kind, one.pattern, one.anchors) for one in SHAPES)
# In this order: what is surest first, so that a part of it is never taken for something else.
_RULES = (*_SECRETS, *IDS, *CONTAINERS, *USERS, *HOSTS, *CHATS)

_PLACEHOLDER = lazy(rb"(?:<|&lt;)[a-z]+-[0-9]+(?:>|&gt;)")
_SHORTEST = 3
_WORD = rb"A-Za-z0-9\x80-\xff"
_BINARY = 8192


@record
class Redacted:
    """The text that may be handed on, and how many different things of each kind it no longer holds.

    `places` counts how often each kind stood there; `name` is the file's own name, redacted with it.
    """

    text: bytes
    name: str
    counts: Mapping[str, int]
    places: Mapping[str, int]


def redacted(text: bytes, sha256: str, name: str = "", *, everywhere: bool = True) -> Redacted:
    """Replace users, hosts, addresses, secrets and serial numbers, in the name of the file as well.

    `everywhere` names found once are replaced where nothing else tells that they are names, too.

    Raises:
        Refused: F483 the bytes are no text.
    """
    refuse_binary(text, sha256)
    own = name.encode("utf-8", "replace").replace(b"\n", b" ")
    book = _Book(text + b"\n" + own)
    for rule in _RULES:
        book.apply(rule)
    if everywhere:
        book.apply_learned()
    book.columns()
    done, _, last = book.text.rpartition(b"\n")
    return Redacted(
        text=done,
        name=last.decode("utf-8", "replace"),
        counts=book.counts(),
        places=dict(book.places),
    )


def refuse_binary(text: bytes, sha256: str) -> None:
    """Refuse what is no text: what a pickle or an archive holds cannot be seen.

    Raises:
        Refused: F483.
    """
    if b"\x00" in text[:_BINARY] or text[:1] == b"\x80":
        hint = "print what matters as text and attach that, or keep the file and cite it without --redact"
        message = "a binary file cannot be redacted: what it holds cannot be seen"
        raise refused("F483", message, sha256, hint=hint)


class _Book:
    """The text so far, and which placeholder stands for which thing."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.lowered = text.lower()
        self.names: dict[tuple[str, bytes], bytes] = {}
        self.learned: dict[bytes, str] = {}
        self.places: dict[str, int] = {}
        self.signs = (b"&lt;", b"&gt;") if text.lstrip()[:5] == b"<?xml" else (b"<", b">")

    def counts(self) -> dict[str, int]:
        """How many things of each kind, by kind."""
        found: dict[str, int] = {}
        for kind, _ in self.names:
            found[kind] = found.get(kind, 0) + 1
        return dict(sorted(found.items()))

    def placeholder(self, kind: str, thing: bytes) -> bytes:
        """The same for the same thing; a name in another case is the same name."""
        key = (kind, thing.lower() if kind in ("user", "host", "email", "uuid", "mac") else thing)
        if key not in self.names:
            number = sum(1 for each, _ in self.names if each == kind) + 1
            self.names[key] = b"%s%s-%d%s" % (self.signs[0], kind.encode(), number, self.signs[1])
        self.places[kind] = self.places.get(kind, 0) + 1
        return self.names[key]

    def apply(self, rule: Rule) -> None:
        """Replace what one rule finds."""
        if rule.anchors and not any(anchor in self.lowered for anchor in rule.anchors):
            return
        group = "secret" if "secret" in rule.pattern.groupindex else "it"
        group = group if group in rule.pattern.groupindex else ""

        def replaced(found: re.Match[bytes]) -> bytes:
            whole, thing = found[0], found[group] if group else found[0]
            if not thing.strip() or _PLACEHOLDER.search(thing):
                return whole
            if rule.accepts is not None and not rule.accepts(found):
                return whole
            start = (found.start(group) if group else found.start()) - found.start()
            if rule.learned:
                self.learn(rule.kind, thing)
            return whole[:start] + self.stand_in(rule.kind, thing) + whole[start + len(thing) :]

        parts, last = [], 0
        for found in self.found(rule):
            parts += [self.text[last : found.start()], replaced(found)]
            last = found.end()
        if parts:
            self.text = b"".join([*parts, self.text[last:]])
            self.lowered = self.text.lower()

    def found(self, rule: Rule) -> Iterator[re.Match[bytes]]:
        """What a rule finds, on the lines that its anchors or its hint point to."""
        if rule.anchors or rule.hint is not None:
            return near(self.text, self.lowered, rule.pattern, rule.anchors, rule.hint)
        return rule.pattern.finditer(self.text)

    def stand_in(self, kind: str, thing: bytes) -> bytes:
        """A placeholder for a thing; one of several lines keeps its number of lines."""
        if b"\n" not in thing:
            return self.placeholder(kind, thing)
        name = self.placeholder(kind, thing)
        return re.sub(rb"[^\r\n\t ][^\r\n]*", lambda _: name, thing)

    def learn(self, kind: str, thing: bytes) -> None:
        """Note a name that may stand elsewhere without anything that tells that it is one."""
        if (
            len(thing) >= _SHORTEST
            and thing.lower() not in COMMON
            and re.search(rb"[A-Za-z\x80-\xff]", thing)
        ):
            self.learned.setdefault(thing.lower(), kind)

    def apply_learned(self) -> None:
        """Replace the learned names as words of their own; the longest first."""
        if not self.learned:
            return
        names = sorted(self.learned, key=lambda name: (-len(name), name))
        pattern = lazy(
            rb"(?i)(?:(?<![%b])|(?<=\\[nrt])|(?<=[0-9;\[]m))(?:%b)(?![%b])"
            % (_WORD, b"|".join(map(re.escape, names)), _WORD)
        )
        parts = _PLACEHOLDER.split(self.text)
        between = _PLACEHOLDER.findall(self.text)
        done = [
            pattern.sub(lambda m: self.placeholder(self.learned[m[0].lower()], m[0]), one)
            for one in parts
        ]
        self.text = b"".join(part + mark for part, mark in zip(done, [*between, b""], strict=True))

    def columns(self) -> None:
        """Replace the columns of a table of nvidia-smi that hold serial numbers."""
        head = self.text.partition(b"\n")[0]
        titles = [title.strip().lower() for title in head.split(b",")]
        wanted = [
            place for place, title in enumerate(titles) if title in (b"serial", b"gpu_serial")
        ]
        if not wanted or len(titles) < 2:
            return
        lines = self.text.split(b"\n")
        self.text = b"\n".join([lines[0], *(self.row(line, wanted) for line in lines[1:])])

    def row(self, line: bytes, wanted: list[int]) -> bytes:
        """One line of such a table."""
        cells = line.split(b",")
        for place in wanted:
            if place < len(cells):
                cells[place] = re.sub(
                    rb"[A-Za-z0-9]{4,40}", lambda m: self.placeholder("serial", m[0]), cells[place]
                )
        return b",".join(cells)


def told(counts: Mapping[str, int]) -> Iterator[str]:
    """`2 users`, `1 token`: how many of each kind were replaced, never what."""
    for kind, count in counts.items():
        yield f"{count} {KINDS[kind]}{'' if count == 1 else _plural(kind)}"


KINDS = {
    "user": "user",
    "host": "host",
    "email": "e-mail address",
    "ip": "IP address",
    "mac": "MAC address",
    "token": "token",
    "password": "password",
    "key": "private key",
    "uuid": "GPU id",
    "serial": "serial number",
    "container": "container",
    "pod": "pod",
}


def _plural(kind: str) -> str:
    return "es" if KINDS[kind].endswith("s") else "s"
