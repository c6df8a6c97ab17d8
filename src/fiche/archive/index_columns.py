"""The tables of an index, as plain names: reading and filling one needs no more, and nothing heavy.

What rows say again and again (a model, a card, a unit) is kept once, as a word with a number: a search looks
through the words, of which there are few, and then picks rows by number.
"""

from __future__ import annotations

from collections.abc import Mapping

FORMAT = "fiche-archive-index/2"
# The texts of a `Row` that become words; the other two, amount and place, differ from row to row.
WORDS = (
    *("model", "revision", "card", "machine", "engine", "engine_version", "operation", "case"),
    *("candidate", "device", "phase", "which_pass", "quantity", "unit", "origin", "outcome"),
)
# Their columns in the table of rows: `case` alone is a word of SQL.
WORD_COLUMNS = tuple(f"{name}_n" for name in WORDS)
# The texts of an `Entry` that are kept as they are.
TEXTS = (
    *("id", "kind", "title", "date", "added", "main", "format", "own_id", "author"),
    *("tool_version", "keep_until", "confidentiality", "rights", "source"),
)
# Tables with their columns, in the order in which they are filled. `n` numbers an entry or a word, `place` what
# an entry has several of. `day` is what entries are sorted by; `about` is all that words are looked for in.
# `told` is what an entry says that it supersedes, `names` has what entries are called beside their ids, and
# `links` what follows from the two.
TABLES: Mapping[str, tuple[str, ...]] = {
    "entries": ("n", *TEXTS, "day", "about", "rights_folded", "num_rows", "num_files", "num_bytes"),
    "files": ("entry", "place", "path", "name", "num_bytes", "sha256", "media_type"),
    "words": ("n", "kind", "text", "folded", "also"),
    "rows": ("entry", "place", *WORD_COLUMNS, "amount", "amount_key", "pointer"),
    "supersedes": ("entry", "place", "told"),
    "names": ("entry", "place", "name"),
    "links": ("entry", "place", "replaced"),
    "labels": ("entry", "place", "name", "text", "name_folded", "text_folded"),
    "pending": ("id", "why"),
    "state": ("name", "text"),
}
# What tells one line of a table from all others.
KEYS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("entries", "words"), ("n",)),
    **dict.fromkeys(("files", "rows", "supersedes", "names", "labels"), ("entry", "place")),
    "links": ("entry", "place", "replaced"),
    "pending": ("id",),
    "state": ("name",),
}
# A word may be longer than a database indexes, so words have no index: they are few, and read whole.
INDEXES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "entries": (("id",), ("day", "id"), ("kind", "day"), ("added", "id"), ("num_rows",)),
    "files": (("sha256",),),
    "rows": (
        ("model_n", "card_n"),
        ("card_n",),
        ("engine_n",),
        ("machine_n",),
        ("case_n",),
        ("candidate_n",),
        ("quantity_n", "amount_key"),
        ("outcome_n",),
        ("unit_n", "amount_key"),
    ),
    "supersedes": (("told",),),
    "names": (("name",),),
    "links": (("replaced",),),
}
NUMBERS = frozenset(
    {"n", "entry", "place", "replaced", "num_rows", "num_files", "num_bytes"} | set(WORD_COLUMNS)
)
_PREFIX = "fiche_"


def table(name: str) -> str:
    """The name of a table in the database, which others may share."""
    return _PREFIX + name
