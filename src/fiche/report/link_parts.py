"""Parts of a sentence that lead to another place of the report."""

from __future__ import annotations

from fiche.kernel.record import record


@record(kw_only=False)
class Link:
    """Words that lead to another place of the report; `to` is its fragment, empty where it shows none."""

    text: str
    to: str


@record(kw_only=False)
class Remark:
    """A small mark beside what a comment is on: it leads to that comment.

    `title` is the mark in words; `here` is the fragment of the mark itself, where the comment leads back to it.
    """

    comment: str
    title: str
    here: str = ""
