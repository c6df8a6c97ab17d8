"""Searching an archive, and which of its four shapes the answer takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fiche.archive.index_found import Answer
from fiche.cli.archive_asked import asked
from fiche.cli.archive_indexed import indexed, say
from fiche.cli.archive_options import opened
from fiche.cli.terminal import put_bytes, put_json, put_message, put_text
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace

_TEXTS = (
    *("model", "card", "engine", "engine_version", "revision", "machine", "case", "candidate"),
    *("phase", "quantity"),
)


def searched(told: Mapping[str, Any]) -> None:
    """Ask and print.

    Raises:
        Refused: F701, F702, F954 an option cannot be read; what keeps the archive or its index from answering.
    """
    if sum(map(bool, (told["json"], told["csv"], told["ids"]))) > 1:
        raise Refused([together("--json, --csv and --ids are three shapes", "keep one of them")])
    options = {**told, "from": told["since"]}
    question = asked(told["words"] or (), {name: told[name] for name in _TEXTS}, options)
    if told["limit"] is None and (told["csv"] or told["ids"]):
        question = replace(question, limit=0)
    store = opened(told["archive"])
    index = indexed(store, told["index"])
    answer = index.answered(question)
    say(index)
    _put(answer, store.where, told)


def _put(answer: Answer, where: str, told: Mapping[str, Any]) -> None:
    from fiche.cli.archive_search_text import search_csv, search_json, search_text, short_of_all

    if told["json"]:
        put_json(search_json(answer, where))
    elif told["csv"]:
        put_bytes(search_csv(answer))
    elif told["ids"]:
        put_text("".join(f"{id}\n" for id in _ids(answer)))
    else:
        put_text(search_text(answer, where))
    if (told["csv"] or told["ids"]) and (left := short_of_all(answer)):
        put_message(left)


def _ids(answer: Answer) -> Sequence[str]:
    return list(dict.fromkeys(one.entry.id for one in answer.found))
