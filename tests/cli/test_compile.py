"""From a path to a decision: of the criteria, those that a fiche asks for are loaded."""

from fiche.cli.compile import doors
from fiche.registry import member_names


def test_criteria_of_some_kinds_or_all():
    assert {one.name for one in doors({"memory", "quality"}).criteria} == {"memory", "quality"}
    assert tuple(one.name for one in doors().criteria) == member_names("fiche.criteria")
