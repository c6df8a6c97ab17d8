"""What an archive holds of which model on which card: counts, days and observed ranges, nothing averaged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from fractions import Fraction

from fiche.kernel.record import field, record


@record
class Mention:
    """An entry that an overview names. `superseded_by` are the ids of entries that say they replace it."""

    id: str
    kind: str
    title: str
    date: str
    added: str
    keep_until: str = ""
    superseded_by: tuple[str, ...] = ()


@record
class Tally:
    """How many entries say one outcome of a model on a card.

    `newest` is the last day that one of them tells, empty where none tells a day; `entries` are ids of some of
    them, those with the latest days first.
    """

    outcome: str
    count: int
    newest: str
    entries: tuple[str, ...]


@record
class Range:
    """The lowest and the highest observed peak of one counter, each entry's own being its highest reading."""

    quantity: str
    unit: str
    low: Fraction
    high: Fraction
    entries: int


@record
class Meeting:
    """One model on one card. `verdicts` are by decisions, `runs` by records, logs and other pieces.

    An empty name is what the sources do not tell. `entries` counts all that speak of the two.
    """

    model: str
    card: str
    entries: int
    verdicts: tuple[Tally, ...] = ()
    runs: tuple[Tally, ...] = ()
    ranges: tuple[Range, ...] = ()

    @property
    def answer(self) -> str:
        """One word of `ANSWERS` for both."""
        return answer_of({one.outcome for one in (*self.verdicts, *self.runs)})


# What is known of a pair, the first that holds; a run alone admits nothing.
ANSWERS: Mapping[str, Callable[[Set[str]], bool]] = {
    "divided": lambda said: {"admissible", "exclude"} <= said,
    "admitted": lambda said: "admissible" in said,
    "excluded": lambda said: "exclude" in said,
    "to_confirm": lambda said: "to confirm" in said,
    "mixed": lambda said: {"passed", "failed"} <= said,
    "ran": lambda said: "passed" in said,
    "failed": lambda said: "failed" in said,
    "unknown": lambda _: True,
}


def answer_of(said: Set[str]) -> str:
    """One word of `ANSWERS` for the outcomes of a pair: decisions first, and runs where no decision speaks."""
    return next(word for word, holds in ANSWERS.items() if holds(said))


@record
class Holdings:
    """An archive as of a day. What does not stand in the lists is counted beside them.

    `kinds` counts entries by kind. `superseded` ones are counted there too and are in no meeting; `withheld`
    (confidential) and `withheld_internal` ones are counted here alone. `confidential` and `internal` count what
    is not left out. `unplaced` decisions, records and pieces name no model and no card. `models` and
    `cards` count all of those named, `answers` all pairs by their answer. `named` are the entries that meetings
    name. `leaving` are entries whose retention ends by `soon`. `narrowed` says to which part of the archive
    this is limited, as typed.
    """

    archive: str
    day: str
    soon: str
    kinds: Mapping[str, int]
    files: int
    num_bytes: int
    superseded: int
    withheld: int
    unplaced: int
    models: int
    cards: int
    meetings: tuple[Meeting, ...]
    answers: Mapping[str, int]
    named: tuple[Mention, ...]
    latest: tuple[Mention, ...]
    leaving: tuple[Mention, ...]
    leaving_total: int
    damaged: int = 0
    withheld_internal: int = 0
    confidential: int = 0
    internal: int = 0
    narrowed: Mapping[str, str] = field(default_factory=dict)

    @property
    def pairs(self) -> int:
        """All pairs of a model and a card, shown or not."""
        return sum(self.answers.values())

    @property
    def entries(self) -> int:
        """All entries, those superseded too; what is withheld is not among them."""
        return sum(self.kinds.values())
