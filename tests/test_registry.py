import sys

import pytest

from fiche.registry import claiming, member_names, members


@pytest.fixture
def door(tmp_path, monkeypatch):
    """Return a function that writes a package of the given modules and gives its name."""

    def write(**modules):
        package = tmp_path / "somedoor"
        package.mkdir()
        for name, text in {"__init__": "", **modules}.items():
            (package / f"{name}.py").write_text(text, encoding="utf-8")
        return "somedoor"

    monkeypatch.syspath_prepend(tmp_path)
    yield write
    for name in [name for name in sys.modules if name.split(".")[0] == "somedoor"]:
        del sys.modules[name]


def test_members_come_in_name_order(door):
    package = door(b="MEMBER = 2", a="MEMBER = 1", c="MEMBER = 3")
    assert member_names(package) == ("a", "b", "c")
    assert members(package, int) == (1, 2, 3)


def test_the_doors_own_modules_and_inner_doors_are_no_members(door, tmp_path):
    package = door(a="MEMBER = 1", _shared="1 / 0")
    inner = tmp_path / "somedoor" / "engines"
    inner.mkdir()
    (inner / "__init__.py").write_text("1 / 0", encoding="utf-8")
    assert member_names(package) == ("a",)
    assert members(package, int) == (1,)


def test_listing_imports_no_member(door):
    package = door(a="1 / 0")
    assert member_names(package) == ("a",)
    assert "somedoor.a" not in sys.modules


def test_an_empty_door_has_no_members(door):
    assert members(door(), int) == ()


def test_a_module_without_a_member_is_refused(door):
    package = door(a="")
    with pytest.raises(TypeError, match=r"somedoor\.a must export MEMBER, a int; it has none"):
        members(package, int)


def test_a_member_of_another_type_is_refused(door):
    package = door(a="MEMBER = 'one'")
    with pytest.raises(TypeError, match=r"somedoor\.a must export MEMBER, a int; it has a str"):
        members(package, int)


@pytest.mark.parametrize("name", ["fiche.nowhere", "fiche.registry", "nowhere"])
def test_what_is_no_package_is_refused(name):
    with pytest.raises(ModuleNotFoundError):
        member_names(name)


def test_a_defect_inside_a_member_is_not_hidden(door):
    package = door(a="import nowhere_at_all")
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
        members(package, int)


def test_the_member_that_claims_a_word_is_found_without_the_others(door):
    package = door(a="1 / 0", b='MEMBER = ("llama", "qwen")')
    assert claiming(package, tuple, lambda member: member, "qwen") == ("llama", "qwen")
    assert "somedoor.a" not in sys.modules


def test_a_word_that_no_source_spells_is_still_looked_for(door):
    package = door(a="MEMBER = ('one',)", b="MEMBER = ('t' + 'wo',)")
    assert claiming(package, tuple, lambda member: member, "two") == ("two",)
    assert claiming(package, tuple, lambda member: member, "three") is None
