"""Names in a bag: plain, apart from each other, and never leading anywhere else."""

import re

from hypothesis import given
from hypothesis import strategies as st

from fiche.archive.names import safe_paths

_PLAIN = re.compile(r"[A-Za-z0-9._+=@,()-]([A-Za-z0-9._+=@,() -]*[A-Za-z0-9_+=@,()-])?")
PART = st.sampled_from(["a", "A", "b.txt", "..", "", ".", "é", "è", "nul", "x" * 300, "a ", "\n"])
NAMES = st.one_of(st.text(), st.lists(PART, min_size=1, max_size=4).map("/".join))


@given(st.sets(NAMES, max_size=12))
def test_paths_are_plain_and_apart(names):
    found = safe_paths(names)
    assert found.keys() == names
    folded = [path.casefold() for path in found.values()]
    assert len(set(folded)) == len(names)
    for path in found.values():
        for part in path.split("/"):
            assert _PLAIN.fullmatch(part), part
            assert len(part) <= 130
            assert part not in (".", "..")
    # Nothing is both a file and the folder of another.
    assert not any(a != b and b.startswith(f"{a}/") for a in folded for b in folded)


@given(st.sets(NAMES, max_size=6))
def test_what_is_plain_already_stays(names):
    once = set(safe_paths(names).values())
    assert safe_paths(once) == {path: path for path in once}


def test_an_ordinary_name_is_kept():
    assert safe_paths(["evidence/run-limit.json"]) == {
        "evidence/run-limit.json": "evidence/run-limit.json"
    }


def test_what_stands_in_another_ones_place_stays_short():
    long = "/".join(["x" * 100] * 10)
    found = safe_paths(["a", f"A/{long}"])
    assert len(set(found.values())) == 2
    assert max(len(part) for path in found.values() for part in path.split("/")) <= 130
