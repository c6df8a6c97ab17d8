"""`fiche criteria`: the selection table, and its copy in the documentation (F8).

Run this file as a program to renew the table of docs/criteria.md after a wanted change.
"""

import re
from pathlib import Path

from fiche.cli.criteria_text import chosen, sentence, threshold

PAGE = Path(__file__).parents[2] / "docs" / "criteria.md"
TABLE = re.compile(r"(<!-- table: [^\n]*-->\n).*?(<!-- end of table -->)", re.DOTALL)


def table():
    """The rows that the criteria say of themselves."""
    head = "| kind | a must states | expected piece | decision |\n| --- | --- | --- | --- |\n"
    rows = [
        f"| `{one.criterion.name}` | {threshold(one.criterion) or 'nothing beside the workload'} | "
        f"{one.criterion.expects} | {sentence(one.criterion.settles)} |\n"
        for one in chosen(None)
    ]
    return head + "".join(rows)


def renewed(page):
    return TABLE.sub(lambda found: found[1] + table() + found[2], page)


def test_the_page_has_the_table_of_the_criteria_themselves():
    page = PAGE.read_text(encoding="utf-8")
    assert TABLE.search(page)
    assert page == renewed(page), "renew it: python tests/cli/test_criteria.py"


def test_the_page_s_requirements_are_accepted():
    from loading import fiche_of

    page = PAGE.read_text(encoding="utf-8")
    found = fiche_of(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1]).requirements
    assert {one.kind for one in found} >= {
        "software",
        "ecc",
        "placement",
        "interconnect",
        "service",
    }


def test_each_kind_is_listed_with_piece_and_decision(fiche):
    out = fiche("criteria").out
    told = fiche("criteria", "--json").json()
    assert told["format"] == "fiche-criteria/1"
    for one in told["criteria"]:
        assert f"\n{one['kind']} " in out
        assert one["expected_piece"]
        assert one["decision"].endswith(".")
        assert one["decision"][0].isupper()
    assert len(told["criteria"]) == len({one["kind"] for one in told["criteria"]}) >= 17


def test_one_kind_has_its_keys(fiche):
    (one,) = fiche("criteria", "interconnect", "--json").json()["criteria"]
    assert one["must_state"] == [["link", "at_least"]]
    assert set(one["keys"]) == {"link", "at_least", "between", "directions"}
    out = fiche("criteria", "interconnect").out
    assert out.startswith("interconnect  (Interconnect)")
    assert "A must states: link or at_least." in out
    assert all(f"\n{key} " in out for key in one["keys"])
    assert "A must states: nothing beside the workload." in fiche("criteria", "memory").out


def test_an_unknown_kind_is_refused_with_the_nearest(fiche):
    ended = fiche("criteria", "networking")
    assert (ended.code, "F701" in ended.err) == (2, True)
    assert "did you mean software?" in fiche("criteria", "sofware").err


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
