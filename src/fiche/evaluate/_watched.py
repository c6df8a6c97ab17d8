"""A candidate as a criterion sees it, noting what the criterion looks at.

What a comparison depends on is not declared but observed: a criterion that looked at these paths of an offer
and at no other says the same of every offer that states the same there. A criterion written later needs no
list of its own, and none can be forgotten. What is not known to be a path counts as the whole row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from fiche.kernel.catalog import Card, Offer
from fiche.kernel.market import Market
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate

T = TypeVar("T")
# Whom an offer is told apart by says nothing of it: rows that a document names are judged one by one.
_APART = frozenset({"id", "span"})
_WORDS = ("seller", "kind", "gpu", "notes")


@record(eq=False)
class Names:
    """Which path of the offers form a figure or fact of an offer is read from."""

    figures: Mapping[str, str]
    facts: Mapping[str, str]


def names_of(market: Market) -> Names:
    """What the columns of a market are called in the kernel.

    Raises:
        Refused: a text that the loader of offers refuses.
    """
    figures: dict[str, str] = {}
    facts: dict[str, str] = {}
    for path, column in market.columns.items():
        told = next((text for text in column.texts if text), "")
        if told and path not in _WORDS:
            cell = market.cell(path, told)
            figures.update(dict.fromkeys(cell.figures, path))
            facts.update(dict.fromkeys(cell.facts, path))
    return Names(figures=figures, facts=facts)


class Row:
    """One row of a market, and the paths that were looked at so far."""

    __slots__ = ("_market", "place", "seen")

    def __init__(self, market: Market, place: int) -> None:
        self._market, self.place = market, place
        self.seen: dict[str, str] = {}

    @property
    def id(self) -> str:
        """Its id, which is not noted."""
        return self._market.ids[self.place]

    def text(self, path: str) -> str:
        """What it states under a path; noted."""
        found = self._market.text(path, self.place)
        if path in self._market.columns:
            self.seen[path] = found
        return found

    def all(self) -> None:
        """Note every path: somebody looked at the whole of it."""
        for path in self._market.columns:
            self.text(path)

    def cell(self, path: str, kind: str) -> Mapping[str, Any]:
        """What its text under a path says; nothing where it has none. Noted."""
        text = self.text(path)
        return getattr(self._market.cell(path, text), kind) if text else {}


class _Told(Mapping[str, T], Generic[T]):
    """The figures or the facts of a watched offer."""

    __slots__ = ("_kind", "_paths", "_row")

    def __init__(self, row: Row, paths: Mapping[str, str], kind: str) -> None:
        self._row, self._paths, self._kind = row, paths, kind

    def __getitem__(self, name: str) -> T:
        path = self._paths.get(name)
        if path is None:
            raise KeyError(name)
        found: T = self._row.cell(path, self._kind)[name]
        return found

    def __iter__(self) -> Iterator[str]:
        self._row.all()
        return (name for name in self._paths if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class WatchedOffer:
    """Stands for an `Offer`: what is asked of it is noted in its row."""

    __fields__ = Offer.__fields__  # type: ignore[attr-defined]

    def __init__(self, row: Row, names: Names) -> None:
        self._row = row
        self.figures: _Told[Any] = _Told(row, names.figures, "figures")
        self.facts: _Told[Any] = _Told(row, names.facts, "facts")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever an offer has
        if name in _WORDS:
            return self._row.text(name)
        if name == "id":
            return self._row.id
        if name in _APART:
            return None
        if name not in self.__fields__:
            raise AttributeError(name)
        self._row.all()
        return Offer.__defaults_of_fields__.get(name)  # type: ignore[attr-defined]


class WatchedCandidate:
    """Stands for a `Candidate` made of one row: its card, machine and offer are noted when looked at.

    A changed copy (`replace`) is watched as well.
    """

    __fields__ = Candidate.__fields__  # type: ignore[attr-defined]

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - whatever a candidate has
        self._values = values

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a candidate has
        try:
            found = self._values[name]
        except KeyError:
            raise AttributeError(name) from None
        row: Row = self._values["offer"]._row
        if name in ("gpu", "card"):
            row.text("gpu")
            row.text("could_be")
        elif name == "machine":
            return row.text("machine")
        return found


def watched(row: Row, names: Names, plain: Candidate, card: Card | None, gpu: str) -> Candidate:
    """The candidate that a row is, of a card; `plain` has what all candidates share."""
    values = {name: getattr(plain, name) for name in WatchedCandidate.__fields__}
    values |= {"id": row.id, "gpu": gpu, "card": card, "offer": WatchedOffer(row, names)}
    return cast(Candidate, WatchedCandidate(**values))


class Known(Generic[T]):
    """Answers by what they depend on: no question is asked twice of rows that state the same there."""

    def __init__(self, market: Market, ask: Callable[[Row], T]) -> None:
        self._market, self._ask = market, ask
        self._answers: dict[tuple[str, ...], dict[tuple[str, ...], T]] = {}
        self._equal: dict[T, T] = {}
        self.asked = 0

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that any answer depended on, in name order."""
        return tuple(sorted({path for paths in self._answers for path in paths}))

    def of(self, place: int) -> T:
        """The answer for a row."""
        for paths, answers in self._answers.items():
            key = tuple(self._market.text(path, place) for path in paths)
            if key in answers:
                return answers[key]
        return self._anew(place)

    def alone(self, place: int) -> T:
        """The answer for a row that a document names: it holds for no other row."""
        return self._asked(Row(self._market, place))

    def _asked(self, row: Row) -> T:
        """Equal answers are one and the same."""
        self.asked += 1
        answer = self._ask(row)
        return self._equal.setdefault(answer, answer)

    def _anew(self, place: int) -> T:
        row = Row(self._market, place)
        answer = self._asked(row)
        seen = dict(sorted(row.seen.items()))
        self._answers.setdefault(tuple(seen), {})[tuple(seen.values())] = answer
        return answer
