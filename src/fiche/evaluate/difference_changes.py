"""What two sides, each as words by kind and id, have not in common: added, removed, changed, renamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.evaluate.difference_parts import KINDS, Key
from fiche.evaluate.difference_told import Told
from fiche.kernel.difference import Change, Detail
from fiche.kernel.record import record

# Things that have an id: equal content under another one is a new name.
_NAMED = frozenset({"piece", "requirement", "candidate", "offer", "card", "assumption", "margin"})


@record(eq=False, kw_only=False)
class Spoken:
    """What one side says of a part, and the ids of the numbers in it."""

    told: Told
    figures: tuple[str, ...] = ()


@record
class Edit:
    """A change, and the keys that it puts in or takes away: two where something has a new name."""

    change: Change
    keys: tuple[Key, ...]


def edits(before: Mapping[Key, Spoken], after: Mapping[Key, Spoken]) -> tuple[Edit, ...]:
    """Every change, by kind and then id: the order of what is listed says nothing."""
    renamed = _renamed(before, after)
    taken = {key for pair in renamed for key in pair}
    found = [_rename(*pair, before, after) for pair in renamed]
    for key in {*before, *after} - taken:
        one, other = before.get(key), after.get(key)
        if one is None or other is None or one.told != other.told:
            found.append(Edit(change=_change(key, one, other), keys=(key,)))
    return tuple(sorted(found, key=lambda edit: _place(edit.change)))


def _place(change: Change) -> tuple[int, str]:
    order = KINDS.index(change.kind) if change.kind in KINDS else len(KINDS)
    return order, change.name


def _renamed(before: Mapping[Key, Spoken], after: Mapping[Key, Spoken]) -> list[tuple[Key, Key]]:
    """Pairs of equal content; where several things are alike nobody can say which is which."""
    gone = _by_content(before, after)
    come = _by_content(after, before)
    pairs = ((keys, come[content]) for content, keys in gone.items() if content in come)
    return [(old[0], new[0]) for old, new in pairs if len(old) == len(new) == 1]


def _by_content(
    one: Mapping[Key, Spoken], other: Mapping[Key, Spoken]
) -> dict[tuple[object, ...], list[Key]]:
    found: dict[tuple[object, ...], list[Key]] = {}
    for key, spoken in one.items():
        if key not in other and key[0] in _NAMED and spoken.told:
            found.setdefault((key[0], *spoken.told.items()), []).append(key)
    return found


def _rename(old: Key, new: Key, before: Mapping[Key, Spoken], after: Mapping[Key, Spoken]) -> Edit:
    figures = (*before[old].figures, *after[new].figures)
    change = Change(
        kind=new[0],
        name=new[1],
        what="renamed",
        details=(Detail(name="id", before=old[1], after=new[1]),),
        figures=tuple(dict.fromkeys(figures)),
    )
    return Edit(change=change, keys=(old, new))


def _change(key: Key, one: Spoken | None, other: Spoken | None) -> Change:
    what = "added" if one is None else "removed" if other is None else "changed"
    figures = [*(one.figures if one else ()), *(other.figures if other else ())]
    return Change(
        kind=key[0],
        name=key[1],
        what=what,
        details=tuple(_details(one.told if one else {}, other.told if other else {})),
        figures=tuple(dict.fromkeys(figures)),
    )


def _details(before: Told, after: Told) -> Iterator[Detail]:
    for name in sorted({*before, *after}):
        one, other = before.get(name), after.get(name)
        if one != other:
            yield Detail(name=name, before=one, after=other)
