"""A question as the conditions of a statement. What was typed is only ever a value beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy

from fiche.archive.index_asked import Amount, Asked, Label, Part
from fiche.archive.index_columns import WORDS, table
from fiche.archive.index_database import Database
from fiche.kernel.record import record

# More numbers than this are looked for by a question of their own.
_FEW = 500
# More entries than this are looked through again, instead of being named by their numbers.
_LISTED = 5000
_SAYING = f"SELECT n FROM {table('entries')} WHERE "
_LONG = 2000
_LAST = "\N{DELETE}"  # behind all signs of an id or a digest


@record
class Condition:
    """One condition: the statement's part, and the option that asked for it.

    `of` is what has to meet it: an entry, a row, or either. `nothing` is True where no word is.
    `without` is what is left of it for an entry that has no rows.
    """

    text: str
    option: str
    asked: str
    of: str = "entry"
    nothing: bool = False
    without: str = "1 = 0"


class Where:
    """The conditions of a question, and the values that go beside them."""

    def __init__(self, database: Database, asked: Asked) -> None:
        self._database = database
        self.bound: dict[str, object] = {}
        self._among: frozenset[int] = frozenset()
        self.conditions: tuple[Condition, ...] = (*self._of_rows(asked), *self._of_entries(asked))

    @property
    def only_entries(self) -> bool:
        """True where all rows of an entry meet the question, or none does."""
        return all(each.of == "entry" for each in self.conditions)

    @property
    def of_rows(self) -> str | None:
        """The same of rows alone, without their entries; None where something of an entry is asked."""
        if any(each.of == "entry" for each in self.conditions):
            return None
        return self.text.replace("e.n IN", "r.entry IN")

    @property
    def without(self) -> str:
        """What is left of it for entries that have no rows."""
        return " AND ".join(each.without for each in self.conditions)

    @property
    def needs_rows(self) -> bool:
        """True where an entry without rows cannot meet it."""
        return any(each.of == "row" for each in self.conditions)

    @property
    def text(self) -> str:
        """All of it, as it stands behind WHERE."""
        text = " AND ".join(each.text for each in self.conditions) or "1 = 1"
        if not self._among:
            return text
        among = _in(sorted(self._among))
        return f"{text.replace(_SAYING, f'{_SAYING}{among[2:]} AND ')} AND {among}"

    def alone(self, condition: Condition) -> Where:
        """The same with one condition."""
        found = copy(self)
        found.conditions, found._among = (condition,), frozenset()
        return found

    def value(self, value: object) -> str:
        """A place in a statement that stands for a value."""
        name = f"v{len(self.bound)}"
        self.bound[name] = value
        return f":{name}"

    def _of_rows(self, asked: Asked) -> Iterator[Condition]:
        for name in WORDS:
            if parts := asked.texts.get(name, ()):
                told = [self._word(name, part) for part in parts]
                yield Condition(
                    text=_any(f"r.{name}_n {text}" for text in told),
                    option=name,
                    asked=" or ".join(map(_said, parts)),
                    of="row",
                    nothing=all(text == _NONE for text in told),
                )
        for option, sign, amount in (("min", ">=", asked.least), ("max", "<=", asked.most)):
            if amount is not None:
                text = _any(self._amounts(amount, sign))
                yield Condition(text=text, option=option, asked=amount.text, of="row")
        for word in asked.words:
            yield self._anywhere(word, is_one_of_many=len(asked.words) > 1)

    def _word(self, kind: str, part: Part) -> str:
        """What is asked of the number of a word: one of those that have the part."""
        if part.where == "whole" and not part.text:
            return "IS NULL"
        among = f"kind = {self.value(kind)} AND {self._has(part)}"
        return self._numbers(f"SELECT n FROM {table('words')} WHERE {among}")

    def _has(self, part: Part) -> str:
        """What is asked of a word's text; another name of it serves as well."""
        place = self.value(part.text)
        holds = self._database.holds
        if part.where == "within":
            return f"({holds.format('folded', place)} OR {holds.format('also', place)})"
        end = "\n" if part.where == "whole" else ""
        other = holds.format("also", self.value(f"\n{part.text}{end}"))
        if part.where == "whole":
            return f"(folded = {place} OR {other})"
        return f"(substr(folded, 1, {len(part.text)}) = {place} OR {other})"

    def _numbers(self, question: str) -> str:
        found = [n for (n,) in self._database.rows(f"{question} LIMIT {_FEW + 1}", self.bound)]
        if not found:
            return _NONE
        if len(found) > _FEW:
            return f"IN ({question})"
        return f"= {found[0]}" if len(found) == 1 else f"IN ({', '.join(map(str, found))})"

    def _amounts(self, amount: Amount, sign: str) -> Iterator[str]:
        for unit, key in amount.keys.items():
            word = self._word("unit", Part(text=unit, where="whole"))
            place = self.value(key)
            yield f"(r.unit_n {word} AND r.amount_key <> '' AND r.amount_key {sign} {place})"

    def _anywhere(self, word: str, *, is_one_of_many: bool) -> Condition:
        """A word in any text of an entry, or of the row."""
        part = Part(text=word)
        among = f"FROM {table('words')} WHERE {self._has(part)}"
        kinds = self._database.rows(f"SELECT DISTINCT kind {among}", self.bound)
        told = [f"r.{kind}_n {self._word(kind, part)}" for (kind,) in kinds if kind in WORDS]
        of, without = "row", "1 = 0"
        question, numbers = self._about(word)
        if is_one_of_many and len(numbers) <= _LISTED:
            self._narrow(told, numbers)
        if numbers:
            of = "either" if told else "entry"
            without = _in(numbers) if len(numbers) <= _LISTED else f"e.n IN ({question})"
            told.append(without)
        nothing = not told
        text = _any(told) if told else "1 = 0"
        return Condition(
            text=text,
            option="words",
            asked=_quoted(word),
            of=of,
            nothing=nothing,
            without=without,
        )

    def _about(self, word: str) -> tuple[str, list[int]]:
        """Entries that say a word beside their rows: the question, and the first numbers that answer it."""
        says, sought = self._database.says, self._database.sought(word)
        if len(word) > _LONG:  # than some way of looking takes
            says, sought = self._database.holds, word
        text = says.format("about", self.value(sought))
        question = f"{_SAYING}{text}"
        found = self._database.rows(f"{question} LIMIT {_LISTED + 1}", self.bound)
        return question, [n for (n,) in found]

    def _narrow(self, told: Sequence[str], numbers: Sequence[int]) -> None:
        """Where few entries meet one of several words, the others need no look."""
        among = set(numbers)
        if told:
            question = f"SELECT DISTINCT r.entry FROM {table('rows')} r WHERE {_any(told)}"
            found = self._database.rows(f"{question} LIMIT {_LISTED + 1}", self.bound)
            among.update(n for (n,) in found)
        if len(among) <= _LISTED and (not self._among or len(among) < len(self._among)):
            self._among = frozenset(among)

    def _of_entries(self, asked: Asked) -> Iterator[Condition]:
        for option, words in (("kind", asked.kinds), ("confidentiality", asked.confidentiality)):
            if words:
                places = ", ".join(map(self.value, words))
                said = " or ".join(words)
                yield Condition(text=f"e.{option} IN ({places})", option=option, asked=said)
        for part in asked.rights:
            text = self._text("e.rights_folded", part)
            yield Condition(text=text, option="rights", asked=_said(part))
        for label in asked.labels:
            yield self._label(label)
        yield from self._days(asked)
        if asked.digest:
            first, last = self.value(asked.digest), self.value(asked.digest + _LAST)
            among = f"sha256 >= {first} AND sha256 < {last}"
            text = f"e.n IN (SELECT entry FROM {table('files')} WHERE {among})"
            yield Condition(text=text, option="digest", asked=asked.digest)
        if asked.superseded is not None:
            sign, option = ("", "superseded") if asked.superseded else ("NOT ", "current")
            yield Condition(text=f"{sign}{SUPERSEDED}", option=option, asked="")

    def _text(self, column: str, part: Part) -> str:
        place = self.value(part.text)
        return (
            self._database.holds.format(column, place)
            if part.where == "within"
            else f"{column} = {place}"
        )

    def _label(self, label: Label) -> Condition:
        among, said = f"name_folded = {self.value(label.name)}", label.name
        if label.text is not None:
            among += f" AND {self._text('text_folded', label.text)}"
            said += f"={label.text.text}"
        text = f"e.n IN (SELECT entry FROM {table('labels')} WHERE {among})"
        return Condition(text=text, option="label", asked=_quoted(said))

    def _days(self, asked: Asked) -> Iterator[Condition]:
        for option, sign, day in (("from", ">=", asked.since), ("until", "<=", asked.until)):
            if day:
                text = f"({DATED} AND e.day {sign} {self.value(day)})"
                yield Condition(text=text, option=option, asked=day)


# Superseded by an entry that is in the archive too.
SUPERSEDED = f"EXISTS (SELECT 1 FROM {table('links')} l WHERE l.replaced = e.n)"
# The day is that of the date that it tells, and not that of its adding.
DATED = "substr(e.date, 1, 10) = e.day"
_NONE = "IN (-1)"


def _in(numbers: Iterable[int]) -> str:
    return f"e.n IN ({', '.join(map(str, numbers))})"


def _any(texts: Iterable[str]) -> str:
    return f"({' OR '.join(texts)})"


def _said(part: Part) -> str:
    if part.where == "whole":
        return f"exactly {_quoted(part.text)}" if part.text else "not told"
    return _quoted(part.text) + (" at its beginning" if part.where == "first" else "")


def _quoted(text: str) -> str:
    return f"'{text}'" if len(text) <= 60 else f"'{text[:59]}…'"
