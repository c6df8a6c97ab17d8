"""Version specifiers of PEP 440 on versions as programs print them (D3)."""

import pytest

from fiche.kernel.number import Misread
from fiche.kernel.specifier import Specifier, parse_specifier


@pytest.mark.parametrize(
    ("text", "version", "expected"),
    [
        (">=2.4,<3,!=2.5.0", "2.11.0+cu128", True),
        (">=2.4,<3,!=2.5.0", "2.5.0+cu124", False),
        (">=2.4,<3,!=2.5.0", "2.5.1", True),
        (">=2.4,<3,!=2.5.0", "2.3.1", False),
        (">=2.4,<3", "3.0rc1", False),
        (">=2.4,<3", "2.12.0.dev20260101", True),
        (">=2.10", "2.9", False),
        ("==2.11.0", "2.11.0+cu128", True),
        ("==2.11.0+cu126", "2.11.0+cu128", False),
        ("==12.*", "12.8", True),
        ("~=0.28.0", "0.29.0", False),
        (">=550.54", "550.54.15", True),
        (">=550.54", "610.62", True),
        (">=570", "550.54.15", False),
        (">=550", "610.62-open", None),
        (">=6.3", "6.3.42131-fa1d09cbd", None),
        (">=1", "b6123", None),
        (">=1", "current", None),
    ],
)
def test_a_version_is_met_missed_or_has_no_place_in_the_order(text, version, expected):
    asked = parse_specifier(text)
    assert isinstance(asked, Specifier)
    assert asked.holds(version) is expected


@pytest.mark.parametrize(
    "text", ["2.4", "", ",", ">=2.4,<3,!=", ">=2.4 <3", ">=new", "=2", "x" * 500]
)
def test_what_is_no_specifier_is_refused(text):
    found = parse_specifier(text)
    assert isinstance(found, Misread)
    assert found.code == "F380"


@pytest.mark.parametrize("text", [">=3,<2", ">=3,<3", ">3,<=3", "==2.0,==2.1", "~=2.4,<2"])
def test_a_specifier_that_no_version_meets_is_refused(text):
    found = parse_specifier(text)
    assert isinstance(found, Misread)
    assert found.code == "F381"


@pytest.mark.parametrize("text", [">=3,<=3", "==2.1,>=2", "==2.*,>=3", "!=2,!=3"])
def test_what_some_version_may_meet_is_read(text):
    """A wildcard bounds by its release: what it leaves is for the judge."""
    assert isinstance(parse_specifier(text), Specifier)
