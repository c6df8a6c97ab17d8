"""A search as anybody would write it: a loop over entries. What an index answers must be the same."""

from fractions import Fraction
from functools import cache

from fiche.archive.document import document
from fiche.archive.entry import Row
from fiche.archive.index_columns import WORDS
from fiche.archive.index_lines import about
from fiche.archive.index_texts import folded as folded_once

folded = cache(folded_once)


def found(store, asked, amounts=()):
    """`(entry id, place of the row)` of all that is found, in no order; the place is None without rows.

    `amounts` are `(sign, unit, bound)`: rows of that unit on that side of the bound.
    """
    entries = list(store.held.values())
    replaced = {id for one in entries for id in one.supersedes}
    answer = set()
    for one in entries:
        if not _entry_meets(one, asked, replaced):
            continue
        rows = list(enumerate(one.rows)) or [(None, Row())]
        for place, row in rows:
            if _row_meets(one, row, place, asked, amounts):
                answer.add((one.id, place))
    return answer


def _entry_meets(one, asked, replaced):
    day = one.date[:10] if len(one.date) >= 10 and one.date[4] == "-" else ""
    return (
        (not asked.kinds or one.kind in asked.kinds)
        and (not asked.confidentiality or one.confidentiality in asked.confidentiality)
        and all(_has(one.rights, part) for part in asked.rights)
        and all(_labelled(one, label) for label in asked.labels)
        and (not asked.since or (day and day >= asked.since))
        and (not asked.until or (day and day <= asked.until))
        and (not asked.digest or any(f.sha256.startswith(asked.digest) for f in one.files))
        and (asked.superseded is None or asked.superseded == (one.id in replaced))
    )


def _labelled(one, label):
    return any(
        folded(name) == label.name and (label.text is None or _has(text, label.text))
        for name, text in one.labels.items()
    )


def _row_meets(one, row, place, asked, amounts):
    parts = all(
        place is not None and any(_has(getattr(row, name), part) for part in told)
        for name, told in asked.texts.items()
        if told
    )
    texts = [*about(document(one)), *(getattr(row, name) for name in WORDS)]
    words = all(any(word in folded(text) for text in texts) for word in asked.words)
    return parts and words and all(place is not None and _amount(row, *each) for each in amounts)


def _amount(row, sign, unit, bound):
    try:
        value = Fraction(row.amount)
    except ValueError:
        return False
    if folded(row.unit) != unit:
        return False
    return value >= bound if sign == "min" else value <= bound


def _has(text, part):
    text = folded(text)
    if part.where == "whole":
        return text == part.text
    return text.startswith(part.text) if part.where == "first" else part.text in text
