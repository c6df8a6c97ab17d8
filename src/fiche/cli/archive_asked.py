"""What `fiche archive search` is asked, read from its options; what has no single reading is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from fiche.archive.entry import CONFIDENTIALITY, KINDS, OUTCOMES
from fiche.archive.index_amount import bound_key
from fiche.archive.index_asked import SORTS, Amount, Asked, Label, Part
from fiche.archive.index_texts import folded
from fiche.cli.usage import together, unknown
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.number import Misread, Written, parse_number
from fiche.kernel.quantity import BYTE_UNITS, HOURS, RATE_UNITS, parse_bytes, parse_date

VERDICTS = OUTCOMES[:3]
_SHOWN = 20
# Versions are written from their beginning: 0.28 is no part of 10.28.1.
_FIRST = ("engine_version", "revision")
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-fA-F]{6,64})")
_SHORT = re.compile(r"[kmgtp](?:i?b)?(?:yte)?s?", re.IGNORECASE)
_LIMIT = re.compile(r"[0-9]{1,7}")
_SECONDS: Mapping[str, Fraction] = {
    **{unit: Fraction(factor) * 3600 for unit, factor in HOURS.items()},
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
}


def asked(
    words: Sequence[str], texts: Mapping[str, Sequence[str] | None], options: Mapping[str, object]
) -> Asked:
    """The question.

    Raises:
        Refused: F701, F702, F954 and those of amounts and days, for every option that cannot be read.
    """
    wrong: list[Diagnostic] = []
    read = _Read(wrong)
    outcomes = _outcomes(_list(options, "outcome"), _list(options, "verdict"), read)
    parts = {name: read.parts(name, each or ()) for name, each in texts.items()}
    sort = str(options["sort"] or "date")
    if options["superseded"] and options["current"]:
        wrong.append(together("--superseded and --current are each other's opposite", "keep one"))
    question = {
        "words": tuple(folded(each) for each in read.told("WORD", words)),
        "texts": {**{name: each for name, each in parts.items() if each}, **outcomes},
        "kinds": read.one_of("kind", _list(options, "kind"), KINDS),
        "confidentiality": read.one_of(
            "confidentiality", _list(options, "confidentiality"), CONFIDENTIALITY
        ),
        "rights": read.parts("rights", _list(options, "rights")),
        "labels": tuple(read.labels(_list(options, "label"))),
        "since": read.day("from", options["from"]),
        "until": read.day("until", options["until"]),
        "digest": read.digest(options["digest"]),
        "superseded": True if options["superseded"] else False if options["current"] else None,
        "least": read.amount("min", options["min"]),
        "most": read.amount("max", options["max"]),
        "sort": read.one_of("sort", [sort.removeprefix("-")], SORTS)[0],
        "backwards": sort.startswith("-"),
        "limit": limited(options["limit"], _SHOWN, wrong),
    }
    if wrong:
        raise Refused(wrong)
    return Asked(**question)  # type: ignore[arg-type]


def _list(options: Mapping[str, object], name: str) -> Sequence[str]:
    told = options[name]
    return [str(each) for each in told] if isinstance(told, list | tuple) else []


def _outcomes(
    outcome: Sequence[str], verdict: Sequence[str], read: _Read
) -> dict[str, tuple[Part, ...]]:
    """Verdicts are outcomes of a decision; given both, either is enough."""
    found = (
        *read.one_of("outcome", outcome, OUTCOMES),
        *read.one_of("verdict", verdict, VERDICTS),
    )
    parts = tuple(Part(text=word, where="whole") for word in found if word)
    return {"outcome": parts} if parts else {}


class _Read:
    """Reads options; what is wrong with them is collected."""

    def __init__(self, wrong: list[Diagnostic]) -> None:
        self._wrong = wrong

    def told(self, option: str, texts: Iterable[str]) -> Iterator[str]:
        """The texts that say something: an empty one is a variable that nobody set."""
        for text in texts:
            if text.strip():
                yield text
            else:
                self._refuse(f"{option} is empty", "leave it out, or say what to look for")

    def parts(self, name: str, texts: Iterable[str]) -> tuple[Part, ...]:
        """Parts of a name; in quotes, or behind `=`, the whole of it."""
        where = "first" if name in _FIRST else "within"
        return tuple(_part(text, where) for text in self.told(_option(name), texts))

    def one_of(self, name: str, words: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
        """Words that are among those known, in any case."""
        for word in words:
            if folded(word) not in known:
                self._wrong.append(unknown(name, word[:60], known))
        return tuple(folded(word) for word in words)

    def labels(self, texts: Iterable[str]) -> Iterator[Label]:
        """NAME, or NAME=TEXT; NAME==TEXT and NAME="TEXT" are the whole of the text."""
        for text in self.told("--label", texts):
            name, equals, rest = text.partition("=")
            part = _part(rest, "within") if rest else Part(text="", where="whole")
            yield Label(name=folded(name.strip()), text=part if equals else None)

    def day(self, name: str, text: object) -> str:
        """A day of the calendar."""
        if text is None:
            return ""
        read = parse_date(str(text))
        if isinstance(read, Misread):
            self._misread(name, read)
            return ""
        return read.isoformat()

    def digest(self, text: object) -> str:
        """The beginning of a SHA-256, in hexadecimal signs."""
        if text is None:
            return ""
        match = _DIGEST.fullmatch(str(text).strip())
        if match is None:
            hint = "write 6 to 64 signs of 0-9 and a-f, as sha256sum prints them"
            self._refuse("--digest is no beginning of a SHA-256", hint)
            return ""
        return match[1].lower()

    def amount(self, name: str, text: object) -> Amount | None:
        """A bound with its unit; it is compared with amounts of that unit, or of one that converts exactly."""
        if text is None:
            return None
        read = parse_number(str(text))
        if not isinstance(read, Misread) and _SHORT.fullmatch(read.unit):
            read = _bytes(str(text), read)  # 16G and 16 gb say neither 1000 nor 1024
        if isinstance(read, Misread):
            self._misread(name, read)
            return None
        value, unit = Fraction(read.value), read.unit
        for family, base in ((BYTE_UNITS, "b"), (RATE_UNITS, "b/s")):
            if unit in family:
                return Amount(text=str(text), keys={base: bound_key(value * family[unit])})
        if unit in _SECONDS:
            seconds = value * _SECONDS[unit]
            keys = {folded(each): bound_key(seconds / of) for each, of in _SECONDS.items()}
            return Amount(text=str(text), keys=keys)
        return Amount(text=str(text), keys={folded(unit): bound_key(value)})

    def _misread(self, name: str, read: Misread) -> None:
        message = f"--{name}: {read.message}"
        self._wrong.append(
            Diagnostic(code=read.code, message=message, address=None, hint=read.hint)
        )

    def _refuse(self, message: str, hint: str) -> None:
        self._wrong.append(Diagnostic(code="F954", message=message, address=None, hint=hint))


def limited(text: object, usual: int, wrong: list[Diagnostic]) -> int:
    """A count of lines to show; 0 is all."""
    if text is None:
        return usual
    if not _LIMIT.fullmatch(str(text)):
        message, hint = "--limit is no whole number", "write --limit 50; 0 shows all"
        wrong.append(Diagnostic(code="F954", message=message, address=None, hint=hint))
        return usual
    return int(str(text))


def _bytes(text: str, read: Written) -> Written | Misread:
    found = parse_bytes(text)
    return found if isinstance(found, Misread) else read


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _part(text: str, where: str) -> Part:
    if text.startswith("="):
        return Part(text=folded(text[1:]), where="whole")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return Part(text=folded(text[1:-1]), where="whole")
    return Part(text=folded(text), where=where)
