"""What is asked of an index: parts of words, bounds of amounts, days, digests. All of it must hold."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.record import field, record

# By what rows are sorted; the newest first, the smallest first, names in the order of their signs.
SORTS = ("date", "added", "amount", "model", "card", "engine")


@record
class Part:
    """A folded text that is to be found: in a word, at its beginning, or as the whole of it.

    A whole empty text is a word that is not told.
    """

    text: str
    where: str = "within"  # or "first", "whole"


@record
class Amount:
    """An amount that others are compared with: as typed, and its key in each folded unit that it has one in."""

    text: str
    keys: Mapping[str, str]


@record
class Label:
    """A label by its folded name; its text may be asked for too."""

    name: str
    text: Part | None = None


@record
class Asked:
    """A question. `texts` has fields of a row: any one of a field's parts is enough.

    `since` and `until` are days, both within; what tells no date is outside. `digest` is the beginning of a
    file's SHA-256. `superseded` asks for those that are, or are not. `limit` 0 is all of them.
    """

    words: tuple[str, ...] = ()
    texts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    confidentiality: tuple[str, ...] = ()
    rights: tuple[Part, ...] = ()
    labels: tuple[Label, ...] = ()
    since: str = ""
    until: str = ""
    digest: str = ""
    superseded: bool | None = None
    least: Amount | None = None
    most: Amount | None = None
    sort: str = "date"
    backwards: bool = False
    limit: int = 20

    def __post_init__(self) -> None:
        """Refuse a sort that there is none of: it becomes a part of a statement.

        Raises:
            ValueError: there is no such sort.
        """
        if self.sort not in SORTS:
            raise ValueError(f"no sort {self.sort!r}")
