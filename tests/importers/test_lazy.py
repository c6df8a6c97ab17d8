"""Patterns compile when they are first used, and every pattern of the room is one that compiles."""

import re
import sys

import pytest

from fiche.importers._detect import importers
from fiche.kernel.lazy import Later, lazy


def test_a_pattern_is_compiled_at_its_first_use_and_once():
    later = lazy(rb"a(?P<b>\d)", re.IGNORECASE)
    assert "_compiled" not in vars(later)
    assert later.search(b"xA7")["b"] == b"7"
    assert later.groupindex == {"b": 1}
    compiled = vars(later)["_compiled"]
    assert later.fullmatch(b"a1").re is compiled


def test_what_is_no_pattern_says_so_at_its_first_use():
    with pytest.raises(re.error):
        lazy("(").search("")


def test_every_pattern_of_the_room_compiles():
    assert importers()
    rooms = [module for name, module in sys.modules.items() if name.startswith("fiche.importers.")]
    patterns = [
        value for room in rooms for value in vars(room).values() if isinstance(value, Later)
    ]
    assert len(patterns) > 200
    assert all(pattern.groups >= 0 for pattern in patterns)
