"""Numbers as a reader meets them in a page, and where each is found in decision.json alone.

Nothing here asks the code under test: the page is read as text, the decision as JSON, and numbers are
rounded by this module's own arithmetic.
"""

import re
from collections import defaultdict
from datetime import date
from fractions import Fraction
from functools import cached_property
from html.parser import HTMLParser

from babel.dates import format_date
from babel.numbers import list_currencies

# Blanks that stand inside numbers, or join them to their unit.
JOINTS = "\u00a0\u202f\u2009"
BINARY = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10}
MEMORY = {**BINARY, "GB": 10**9, "MB": 10**6, "kB": 10**3, "B": 1}
# French writes octets where others write bytes.
TIMES = {"s": 1, "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}
MONEY = frozenset(list_currencies())
# Bytes in a sentence: `50852265984 to 50897354752 B`.
IN_BYTES = re.compile(r"(?:(\d+) to )?(\d+) B\b")
PARTS_OF_A_SECOND = {"ns": 10**9, "us": 10**6}
HARD = {*MEMORY, *TIMES, "h", "W", "%"}


class Text(HTMLParser):
    """The words of a page that a reader sees: no script, no style; an element that ends a line ends one."""

    INLINE = frozenset(
        re.findall(
            r"\S+", "a abbr b bdi code data em i mark small span strong sub sup tspan u wbr svg g"
        )
    )
    HIDDEN = frozenset(("script", "style", "template", "noscript"))
    VOID = frozenset(("meta", "link", "br", "hr", "img", "input", "path", "rect", "line", "circle"))

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.told = []
        self.hidden = 0

    def handle_starttag(self, tag, attrs):
        if tag in self.HIDDEN:
            self.hidden += 1
        if tag not in self.INLINE:
            self.told.append("\n")
        title = dict(attrs).get("title")
        if title and not self.hidden:
            self.told.append(f"\n{title}\n" if tag not in self.INLINE else "")

    def handle_endtag(self, tag):
        if tag in self.HIDDEN:
            self.hidden -= 1
        if tag not in self.INLINE:
            self.told.append("\n")

    def handle_data(self, text):
        if not self.hidden:
            self.told.append(text)


def words_of(page):
    """The text of a page, a line for each block of it."""
    reader = Text()
    reader.feed(page.decode("utf-8"))
    reader.close()
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in "".join(reader.told).split("\n"))
    return [line for line in lines if line]


class Signs:
    """How one language writes a number, of its style alone."""

    def __init__(self, style):
        group, point = (re.escape(sign) for sign in (style.group, style.decimal))
        whole = rf"\d{{1,3}}(?:{group}\d{{3}})+(?!\d)|\d+"
        self.style = style
        self.number = re.compile(rf"(?:{whole})(?:{point}\d+)?")
        low, _, high = style.interval.partition("{low}")[2].partition("{high}")
        self.between = low + high
        self.ends = re.compile(rf"[+\-−]?(?:{self.number.pattern})")


def value_of(token, style):
    """The number and its count of decimals."""
    plain = token.replace(style.group, "") if style.group else token
    plain = plain.replace(style.decimal, ".")
    return Fraction(plain), len(plain.partition(".")[2])


def close(value, told, decimals):
    """True where the number is what rounding to its decimals makes of the value, either way at a tie."""
    return abs(value - told) * 2 * 10**decimals <= 1


class Source:
    """All that decision.json says in numbers, and all that it says in words."""

    def __init__(self, document):
        self.figures = defaultdict(set)
        self.bytes = set()
        self.integers = set()
        self.seconds = set()
        self.loose = set()
        self.texts = []
        self.turns = set()
        self._read(document)
        # What `fiche explain` calls a finding: its parts, one after the other.
        for found in document.get("findings", ()):
            parts = (found.get(key) for key in ("candidate", "requirement", "case", "device"))
            self.texts.append("/".join(filter(None, parts)))

    def _read(self, part, key=""):
        if isinstance(part, dict):
            self._figure(part)
            for name, inner in part.items():
                self.texts.append(name)
                self._read(inner, name)
        elif isinstance(part, list):
            for inner in part:
                self._read(inner, key)
        elif isinstance(part, str):
            self.texts.append(part)
            self.bytes.update(int(n) for told in IN_BYTES.findall(part) for n in told if n)
            if re.fullmatch(r"-?\d+(\.\d+)?", part):
                self.loose.add(Fraction(part))
        elif isinstance(part, int) and not isinstance(part, bool):
            told = PARTS_OF_A_SECOND.get(key.rpartition("_")[2])
            if key == "bytes" or key.endswith("_bytes"):
                self.bytes.add(part)
            elif told:
                self.seconds.add(Fraction(part, told))
            else:
                self.integers.add(part)

    def _figure(self, part):
        if str(part.get("id")).endswith(".turn") and isinstance(part.get("bytes"), int):
            self.turns.add(part["bytes"])
        unit = part.get("unit")
        if not isinstance(unit, str):
            return
        for key in ("value", "low", "high", "number", "from", "to"):
            told = part.get(key)
            if isinstance(told, int | str) and re.fullmatch(r"-?\d+([./]\d+)?", str(told)):
                self.figures[unit].add(Fraction(told))

    @cached_property
    def said(self):
        """Every text, and every key, one after the other."""
        return "\n".join(dict.fromkeys(self.texts))

    @cached_property
    def quotable(self):
        """Numbers in texts as they stand, with the word after each: what people and programs wrote."""
        found = set()
        for number in re.finditer(r"\d(?:[\d.,]*\d)?", self.said):
            unit = UNIT.match(self.said, number.end())
            found.add((number[0], unit[1] if unit else ""))
        return found

    def amounts(self, unit):
        """Every value of the decision in a unit as pages write it."""
        if unit in MEMORY:
            return [Fraction(value, 1) / MEMORY[unit] for value in self.bytes | self._of("B")]
        if unit in TIMES:
            return [value / TIMES[unit] for value in self.seconds | self._of("s")]
        if unit == "%":
            return [value * 100 for value in self._of("")]
        per = unit.removesuffix("/s")
        if per != unit and per in MEMORY:
            return [value / MEMORY[per] for value in self._of("B/s")]
        return list(self._of(unit))

    def _of(self, unit):
        return self.figures.get(unit, set())


# --- Looking a number up --------------------------------------------------------------------------

EDGES = "()[]{}«»\"'“”‘’…‹›,;:.?!*= "
BLANK = re.compile(rf"[\s{JOINTS}]")
UNIT = re.compile(rf"[ {JOINTS}]?([^\W\d_][\w/*^µ€]*|[%€$£])")
LETTER = re.compile(r"[^\W\d_]")
RUN = re.compile(r"\d(?:[\d.,]*\d)?")
# A digest, or as much of one as a table has room for.
DIGEST = 8


def word_around(line, start, end):
    """The run of characters around a number up to blanks, with those that stand beside words cut off."""
    left, right = start, end
    while left and not BLANK.match(line[left - 1]):
        left -= 1
    while right < len(line) and not BLANK.match(line[right]):
        right += 1
    before, after = line[left:start].lstrip(EDGES), line[end:right].rstrip(EDGES)
    return before + line[start:end] + after


def unit_after(line, end, signs):
    """The unit of a number; of the first end of an interval, that of the second."""
    rest = line[end:]
    own = UNIT.match(rest)
    if signs.between and rest.startswith(signs.between) and not (own and own[1] in HARD):
        other = signs.ends.match(rest, len(signs.between))
        if other:
            return unit_after(rest, other.end(), signs)
    return own[1] if own else ""


class Lookup:
    """Whether a number of a page is one of the decision, told in a language."""

    def __init__(self, source, language, style=None):
        self.source = source
        self.style = style or language.style
        self.signs = Signs(self.style)
        self.structural = [structure(language.phrases[key]) for key in sorted(left_out(language))]
        self.dates = dates_in(source, language.tag)
        soft = [v for unit, vs in source.figures.items() for v in vs if not hard(unit)]
        soft += [Fraction(v) for v in source.integers] + list(source.loose)
        self.soft = list(dict.fromkeys(abs(v) for v in soft))
        self.days = {language.style.counted("days", count) for count in (1, 2)}

    def strange(self, line):
        """Every number of a line that decision.json does not have, with what stands around it."""
        plain = self.dates.sub(" ", line) if self.dates else line
        spans = [m.span("n") for form in self.structural for m in form.finditer(plain)]
        for found in self.signs.number.finditer(plain):
            if any(low <= found.start() < high for low, high in spans):
                continue
            if not self._known(plain, found.start(), found.end()):
                near = plain[max(0, found.start() - 40) : found.end() + 25]
                yield f"{found[0]} in …{near}…"

    def _known(self, line, start, end):
        if self._quoted(line, start, end):
            return True
        if LETTER.fullmatch(line[start - 1 : start]):
            return False
        attached = UNIT.match(line, end) if LETTER.match(line, end) else None
        if attached and not hard(attached[1]):
            return False
        return self._counted(line, start, end)

    def _quoted(self, line, start, end):
        """It stands so in a text of the decision: inside a word, or with the same word after it."""
        word = word_around(line, start, end)
        inside = word.lstrip("-+−±~≈<>≤≥").replace(line[start:end], "", 1)
        if re.search(r"[^\W\d]|[-/:_#^]", inside) and word in self.source.said:
            return True
        if len(word) >= DIGEST and re.fullmatch("[0-9a-f]+", word) and word in self.source.said:
            return True
        run = next(m for m in RUN.finditer(line) if m.start() <= start < m.end())
        if end > run.end() or LETTER.fullmatch(line[run.start() - 1 : run.start()]):
            return False
        own = UNIT.match(line, run.end())
        unit = own[1] if own else ""
        bare = not hard(unit) and (run[0], "") in self.source.quotable
        # Turkish nouns stay singular after a number: `64 bit` of `64 bits`.
        return bare or not self.source.quotable.isdisjoint({(run[0], unit), (run[0], f"{unit}s")})

    def _counted(self, line, start, end):
        """It is a number of the decision in that unit, rounded to the decimals that are printed."""
        before = line[:start].rstrip("+-−")[-1:]
        unit = "%" if before == "%" else unit_after(line, end, self.signs)
        told, decimals = value_of(line[start:end], self.style)
        return any(close(abs(v), told, decimals) for v in self._amounts(unit)) or (
            unit in BINARY and any(self._safely(v, told, decimals, unit) for v in self.source.turns)
        )

    def _safely(self, turn, told, decimals, unit):
        """A value from which on something changes is told on its safe side: within the last decimal."""
        return abs(Fraction(abs(turn), BINARY[unit]) - told) * 10**decimals < 1

    def _amounts(self, unit):
        if unit in self.days:  # a period that somebody wrote in days is kept in hours
            return [*self.soft, *(value / 24 for value in self.source.amounts("h"))]
        return self.source.amounts(unit) if hard(unit) else self.soft


def hard(unit):
    """True for a unit whose numbers stand for nothing else: memory, time, power, percent, money."""
    return unit in HARD or unit.removesuffix("/s") in MEMORY or unit[:3] in MONEY


def left_out(language):
    """Phrases that say how much of a list this page leaves out: numbers of the page, not of the decision."""
    return {
        key
        for key, text in language.phrases.items()
        if "{n}" in text and (key.endswith(("_left", "_more")) or key == "turn_others")
    }


def structure(phrase):
    """A phrase as a pattern, its number as `n`."""
    before, _, after = phrase.partition("{n}")
    parts = [re.sub(r"\\{\w+\\}", ".+?", re.escape(side)) for side in (before, after)]
    return re.compile(rf"{parts[0]}(?P<n>\d+){parts[1]}".replace("\\ ", rf"[ {JOINTS}]"))


def dates_in(source, tag):
    """Every day of the decision as a language writes it in full; None where that is as ISO has it."""
    days = {date.fromisoformat(day) for day in re.findall(r"\b\d{4}-\d\d-\d\d\b", source.said)}
    if not days or tag == "en":
        return None
    shown = {format_date(day, "long", locale=tag) for day in days}
    either = "|".join(re.escape(each) for each in sorted(shown, key=len, reverse=True))
    return re.compile(either.replace("\\ ", rf"[ {JOINTS}]"))
