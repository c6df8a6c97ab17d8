"""How confidential entries are by the files that they share, whatever each says of itself.

A record that stands alone in an archive may be a piece of a fiche that must not go out, and a fiche that says
nothing may hold a record that must not. Whoever leaves out what is confidential leaves those out as well.
"""

from __future__ import annotations

from fiche.archive.index_columns import table
from fiche.archive.index_database import Database
from fiche.kernel.custody import LEVELS, Custody, highest

_ENTRIES, _FILES = table("entries"), table("files")
# Levels that keep anything back.
KEPT_BACK = LEVELS[1:]
_LEVELS = "', '".join(KEPT_BACK)
_SHARED = (
    "SELECT a.id, a.confidentiality, c.confidentiality"
    f" FROM {_ENTRIES} c JOIN {_FILES} g ON g.entry = c.n"
    f" JOIN {_FILES} f ON f.sha256 = g.sha256 AND f.entry <> g.entry"
    f" JOIN {_ENTRIES} a ON a.n = f.entry"
    f" WHERE c.confidentiality IN ('{_LEVELS}')"
)
# What an entry is named by is within another one, which says nothing else of itself ...
_WITHIN = f"{_SHARED} AND f.path = a.main AND a.confidentiality = ''"
# ... or an entry holds what another one is named by: no word of its own makes that less.
_HOLDING = f"{_SHARED} AND g.path = c.main"


def confided(database: Database) -> dict[str, str]:
    """The level of each entry that has a higher one than it says, by its id."""
    found: dict[str, set[str]] = {}
    own: dict[str, str] = {}
    for statement in (_WITHIN, _HOLDING):
        for id, said, level in database.rows(statement):
            own[id] = said
            found.setdefault(id, set()).add(level)
    levels = {id: _highest({own[id], *some}) for id, some in found.items()}
    return {id: level for id, level in levels.items() if level != own[id]}


def _highest(levels: set[str]) -> str:
    return highest(Custody(confidentiality=level) for level in levels)
