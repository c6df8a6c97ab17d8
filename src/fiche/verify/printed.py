"""Numbers as a reader meets them in a text, and where each is found in decision.json alone.

For a report of another version, whose words this one does not write: its text is read as text and its
decision as JSON, and numbers are rounded by this module's own arithmetic.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from fiche.report.style import Style
from fiche.report.words._language import Language

# Blanks that stand inside numbers, or join them to their unit.
JOINTS = "\u00a0\u202f\u2009"
MEMORY: Mapping[str, int] = {
    "GiB": 2**30,
    "MiB": 2**20,
    "KiB": 2**10,
    "GB": 10**9,
    "MB": 10**6,
    "kB": 10**3,
    "B": 1,
}
TIMES: Mapping[str, Fraction] = {
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
}
_IN_BYTES = re.compile(r"(?:(\d+) to )?(\d+) B\b")
_PARTS_OF_A_SECOND = {"ns": 10**9, "us": 10**6}
_HARD = {*MEMORY, *TIMES, "h", "W", "%"}
_EDGES = "()[]{}«»\"'“”‘’…‹›,;:.?!*= "
_BLANK = re.compile(rf"[\s{JOINTS}]")
_UNIT = re.compile(rf"[ {JOINTS}]?([^\W\d_][\w/*^µ€]*|[%€$£])")
_LETTER = re.compile(r"[^\W\d_]")
_RUN = re.compile(r"\d(?:[\d.,]*\d)?")
_VALUE = re.compile(r"-?\d+([./]\d+)?")
# A digest, or as much of one as a table has room for.
_DIGEST = 8
_MOST_DIGITS = 60
# A word is looked at so far to either side: a page may hold a million letters without a blank.
_LONGEST = 500
# So much of a name before its number, at whose end no blank stands.
_NAME = 3
_OF_A_NAME = re.compile(r"[^\W\d]$|[^\W\d][-/:_#.]$")


class Told:
    """All that decision.json says in numbers, and all that it says in words."""

    def __init__(self, document: Any) -> None:  # noqa: ANN401 - any JSON
        self.figures: dict[str, set[Fraction]] = defaultdict(set)
        self.bytes: set[int] = set()
        self.integers: set[int] = set()
        self.seconds: set[Fraction] = set()
        self.loose: set[Fraction] = set()
        self.texts: list[str] = []
        self.turns: set[int] = set()
        waiting = [(document, "")]
        while waiting:
            waiting += self._read(*waiting.pop())

    def _read(self, part: Any, key: str) -> list[tuple[Any, str]]:  # noqa: ANN401 - any JSON
        """Note one part; what is inside it is for later."""
        if isinstance(part, dict):
            self._figure(part)
            self.texts += part
            return [(inner, name) for name, inner in part.items()]
        if isinstance(part, list):
            return [(inner, key) for inner in part]
        if isinstance(part, str):
            self.texts.append(part)
            self.bytes.update(int(n) for told in _IN_BYTES.findall(part) for n in told if n)
            if len(part) < _MOST_DIGITS and re.fullmatch(r"-?\d+(\.\d+)?", part):
                self.loose.add(Fraction(part))
        elif isinstance(part, int) and not isinstance(part, bool):
            self._integer(part, key)
        return []

    def _integer(self, part: int, key: str) -> None:
        told = _PARTS_OF_A_SECOND.get(key.rpartition("_")[2])
        if key == "bytes" or key.endswith("_bytes"):
            self.bytes.add(part)
        elif told:
            self.seconds.add(Fraction(part, told))
        else:
            self.integers.add(part)

    def _figure(self, part: Mapping[str, Any]) -> None:
        turn = part.get("bytes") if str(part.get("id")).endswith(".turn") else None
        if isinstance(turn, int):
            self.turns.add(turn)
        unit = part.get("unit")
        if not isinstance(unit, str):
            return
        for key in ("value", "low", "high", "number", "from", "to"):
            told = part.get(key)
            text = str(told)
            if isinstance(told, int | str) and len(text) <= _MOST_DIGITS and _VALUE.fullmatch(text):
                self.figures[unit].add(Fraction(text))

    @cached_property
    def said(self) -> str:
        """Every text, and every key, one after the other."""
        return "\n".join(dict.fromkeys(self.texts))

    @cached_property
    def quotable(self) -> set[tuple[str, str]]:
        """Numbers in texts as they stand, with the word after each: what people and programs wrote."""
        found = set()
        for number in _RUN.finditer(self.said):
            unit = _UNIT.match(self.said, number.end())
            found.add((number[0], unit[1] if unit else ""))
        return found

    def amounts(self, unit: str) -> list[Fraction]:
        """Every value of the decision in a unit as pages write it."""
        if unit in MEMORY:
            whole = {*map(Fraction, self.bytes), *self._of("B")}
            return [value / MEMORY[unit] for value in whole]
        if unit in TIMES:
            return [value / TIMES[unit] for value in self.seconds | self._of("s")]
        if unit == "%":
            return [value * 100 for value in self._of("")]
        per = unit.removesuffix("/s")
        if per != unit and per in MEMORY:
            return [value / MEMORY[per] for value in self._of("B/s")]
        return list(self._of(unit))

    def _of(self, unit: str) -> set[Fraction]:
        return self.figures.get(unit, set())


class Signs:
    """How one language writes a number, of its style alone."""

    def __init__(self, style: Style) -> None:
        group, point = (re.escape(sign) for sign in (style.group, style.decimal))
        whole = rf"\d{{1,3}}(?:{group}\d{{3}})+(?!\d)|\d+"
        self.style = style
        self.number = re.compile(rf"(?:{whole})(?:{point}\d+)?")
        low, _, high = style.interval.partition("{low}")[2].partition("{high}")
        self.between = low + high
        self.ends = re.compile(rf"[+\-−]?(?:{self.number.pattern})")

    def value(self, token: str) -> tuple[Fraction, int]:
        """The number and its count of decimals."""
        plain = token.replace(self.style.group, "") if self.style.group else token
        plain = plain.replace(self.style.decimal, ".")
        return Fraction(plain[:_MOST_DIGITS]), len(plain.partition(".")[2])

    def unit(self, line: str, end: int) -> str:
        """The unit of a number; of the first end of an interval, that of the second."""
        rest = line[end:]
        own = _UNIT.match(rest)
        if self.between and rest.startswith(self.between) and not (own and own[1] in _HARD):
            other = self.ends.match(rest, len(self.between))
            if other:
                return self.unit(rest, other.end())
        return own[1] if own else ""


class Lookup:
    """Whether a number of a text is one of the decision, told in a language.

    `glued` is of paper, where a cell may follow another without a blank: a name then counts up to its number.
    """

    def __init__(
        self, told: Told, language: Language, style: Style | None = None, *, glued: bool = False
    ) -> None:
        self.told, self.glued = told, glued
        self.style = style or language.style
        self.signs = Signs(self.style)
        self.structural = [_structure(language.phrases[key]) for key in sorted(_left_out(language))]
        self.dates = _dates_in(told, language.tag)
        soft = [v for unit, vs in told.figures.items() for v in vs if not hard(unit)]
        soft += [Fraction(v) for v in told.integers] + list(told.loose)
        self.soft = list(dict.fromkeys(abs(v) for v in soft))
        self.days = {language.style.counted("days", count) for count in (1, 2)}

    def strange(self, line: str) -> Iterator[str]:
        """Every number of a line that decision.json does not have, with what stands around it."""
        plain = self.dates.sub(" ", line) if self.dates else line
        spans = [m.span("n") for form in self.structural for m in form.finditer(plain)]
        for found in self.signs.number.finditer(plain):
            if any(low <= found.start() < high for low, high in spans):
                continue
            if not self._known(plain, found.start(), found.end()):
                near = plain[max(0, found.start() - 40) : found.end() + 25]
                yield f"{found[0]} in '…{near}…'"

    def _known(self, line: str, start: int, end: int) -> bool:
        if self._quoted(line, start, end) or (self.glued and self._named(line, start, end)):
            return True
        if _LETTER.fullmatch(line[start - 1 : start]):
            return False
        attached = _UNIT.match(line, end) if _LETTER.match(line, end) else None
        if attached and not hard(attached[1]):
            return False
        return self._counted(line, start, end)

    def _named(self, line: str, start: int, end: int) -> bool:
        """It ends a name of the decision, whatever stands right behind it."""
        before = line[max(0, start - _NAME) : start]
        return bool(_OF_A_NAME.search(before)) and before + line[start:end] in self.told.said

    def _quoted(self, line: str, start: int, end: int) -> bool:
        """It stands so in a text of the decision: inside a word, or with the same word after it."""
        word = _word_around(line, start, end)
        inside = word.lstrip("-+−±~≈<>≤≥").replace(line[start:end], "", 1)
        if re.search(r"[^\W\d]|[-/:_#^]", inside) and word in self.told.said:
            return True
        if len(word) >= _DIGEST and re.fullmatch("[0-9a-f]+", word) and word in self.told.said:
            return True
        run = next((m for m in _RUN.finditer(line) if m.start() <= start < m.end()), None)
        if run is None or end > run.end() or _LETTER.fullmatch(line[run.start() - 1 : run.start()]):
            return False
        own = _UNIT.match(line, run.end())
        unit = own[1] if own else ""
        bare = not hard(unit) and (run[0], "") in self.told.quotable
        # Turkish nouns stay singular after a number: `64 bit` of `64 bits`.
        return bare or not self.told.quotable.isdisjoint({(run[0], unit), (run[0], f"{unit}s")})

    def _counted(self, line: str, start: int, end: int) -> bool:
        """It is a number of the decision in that unit, rounded to the decimals that are printed."""
        before = line[:start].rstrip("+-−")[-1:]
        unit = "%" if before == "%" else self.signs.unit(line, end)
        told, decimals = self.signs.value(line[start:end])
        if any(_close(abs(v), told, decimals) for v in self._amounts(unit)):
            return True
        # A value from which on something changes is told on its safe side: within the last decimal.
        turns = self.told.turns if unit in MEMORY else ()
        return any(abs(Fraction(abs(v), MEMORY[unit]) - told) * 10**decimals < 1 for v in turns)

    def _amounts(self, unit: str) -> list[Fraction]:
        if unit in self.days:  # a period that somebody wrote in days is kept in hours
            return [*self.soft, *(value / 24 for value in self.told.amounts("h"))]
        return self.told.amounts(unit) if hard(unit) else self.soft


def hard(unit: str) -> bool:
    """True for a unit whose numbers stand for nothing else: memory, time, power, percent, money."""
    return unit in _HARD or unit.removesuffix("/s") in MEMORY or unit[:3] in _money()


@cache
def _money() -> frozenset[str]:
    from babel.numbers import list_currencies

    return frozenset(list_currencies())


def _close(value: Fraction, told: Fraction, decimals: int) -> bool:
    """True where the number is what rounding to its decimals makes of the value, either way at a tie."""
    return bool(abs(value - told) * 2 * 10**decimals <= 1)


def _word_around(line: str, start: int, end: int) -> str:
    """The run of characters around a number up to blanks, with those that stand beside words cut off."""
    left, right = start, end
    while left and start - left < _LONGEST and not _BLANK.match(line[left - 1]):
        left -= 1
    while right < len(line) and right - end < _LONGEST and not _BLANK.match(line[right]):
        right += 1
    before, after = line[left:start].lstrip(_EDGES), line[end:right].rstrip(_EDGES)
    return before + line[start:end] + after


def _left_out(language: Language) -> set[str]:
    """Phrases that say how much of a list this page leaves out: numbers of the page, not of the decision."""
    return {
        key
        for key, text in language.phrases.items()
        if "{n}" in text and (key.endswith(("_left", "_more")) or key == "turn_others")
    }


def _structure(phrase: str) -> re.Pattern[str]:
    """A phrase as a pattern, its number as `n`."""
    before, _, after = phrase.partition("{n}")
    parts = [re.sub(r"\\{\w+\\}", ".+?", re.escape(side)) for side in (before, after)]
    return re.compile(rf"{parts[0]}(?P<n>\d+){parts[1]}".replace("\\ ", rf"[ {JOINTS}]"))


def _dates_in(told: Told, tag: str) -> re.Pattern[str] | None:
    """Every day of the decision as a language writes it in full; None where that is as ISO has it."""
    from babel.dates import format_date

    days = set()
    for text in re.findall(r"\b\d{4}-\d\d-\d\d\b", told.said):
        try:
            days.add(date.fromisoformat(text))
        except ValueError:
            continue
    if not days or tag == "en":
        return None
    shown = {format_date(day, "long", locale=tag) for day in days}
    either = "|".join(re.escape(each) for each in sorted(shown, key=len, reverse=True))
    return re.compile(either.replace("\\ ", rf"[ {JOINTS}]"))
