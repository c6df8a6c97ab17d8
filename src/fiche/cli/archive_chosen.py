"""Which entries are meant: all, those of ids, or those that a search finds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fiche.archive.identity import is_id
from fiche.archive.index_asked import Asked
from fiche.archive.store import Store
from fiche.cli.archive_asked import asked
from fiche.cli.archive_indexed import indexed
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused

_TEXTS = ("model", "card", "engine", "machine")
_LISTS = ("kind", "outcome", "label")
# What a search may be asked for, and this command is not.
_ABSENT: Mapping[str, object] = {
    **dict.fromkeys(("verdict", "confidentiality", "rights", "digest", "min", "max")),
    "superseded": False,
    "sort": "added",
    "limit": "0",
}
_STANDARD_INPUT = "-"


def chosen(store: Store, told: Mapping[str, Any]) -> Iterable[str]:
    """The ids that the options mean.

    Raises:
        Refused: F702 ids and a search together, F932 no such entry, F955 an id that begins several, F954 and
            others as a search refuses its options.
    """
    ids = list(_typed(told["ids"] or ()))
    narrowed = [name for name in (*_TEXTS, *_LISTS, "since", "until", "current") if told[name]]
    if told["ids"] and narrowed:
        words = ", ".join("from" if name == "since" else name for name in narrowed)
        message = f"ids and a search ({words}) are two ways to choose"
        raise Refused([together(message, "keep one of them")])
    if told["ids"]:
        return _whole(store, ids, told["index"])
    return _found(store, told) if narrowed else store.ids()


def _typed(words: Sequence[str]) -> Iterator[str]:
    """The ids as typed; those of standard input where a dash stands."""
    for word in words:
        if word == _STANDARD_INPUT:
            yield from filter(None, map(str.strip, sys.stdin))
        else:
            yield word


def _whole(store: Store, ids: Sequence[str], named: str | None) -> list[str]:
    """Whole ids; an index is asked only where one is cut short."""
    if all(map(is_id, ids)):
        return list(ids)
    index = indexed(store, named)
    try:
        return [id if is_id(id) else index.id_of(id) for id in ids]
    finally:
        index.close()


def _found(store: Store, told: Mapping[str, Any]) -> list[str]:
    options = {**_ABSENT, **{name: told[name] for name in (*_LISTS, "until", "current")}}
    texts = {name: told[name] for name in _TEXTS}
    question: Asked = asked((), texts, {**options, "from": told["since"]})
    index = indexed(store, told["index"])
    try:
        return list(dict.fromkeys(one.entry.id for one in index.search(question)))
    finally:
        index.close()
