"""On a phone the tables that matter most are read without scrolling sideways, and stay tables (E4)."""

import re

import pytest
from render.chromium import launched, opened
from render.pages import NAMES, decision, page

from fiche.render._stacked import stacked
from fiche.report.parts import Table
from fiche.report.view import view

TABLES = ("points", "musts", "wants", "cited", "held", "candidates", "missing", "criteria")
PHONE = {"viewport": {"width": 390, "height": 844}}


def tables(name):
    found = [b for s in view(decision(name)).sections for b in s.blocks if isinstance(b, Table)]
    return [table for table in found if table.id in TABLES]


@pytest.mark.parametrize("name", NAMES)
def test_each_cell_stands_under_the_name_of_its_column(name):
    rules = str(stacked(view(decision(name))))
    for table in tables(name):
        told = re.findall(
            rf'#table-{table.id} td:nth-last-child\((\d+)\)::before{{content:"(.*?)"}}', rules
        )
        assert dict(told) == {
            str(place): column.title for place, column in enumerate(reversed(table.columns[1:]), 1)
        }


def test_the_files_that_a_page_carries_are_stacked_in_every_report():
    report = view(decision("bare"))
    rules = str(stacked(report))
    titles = report.chrome.attachments_columns[1:]
    for place, title in enumerate(reversed(titles), 1):
        assert (
            f'#table-attachments td:nth-last-child({place})::before{{content:"{title}"}}' in rules
        )


@pytest.fixture(scope="module")
def chromium():
    with launched() as browser:
        yield browser


ROLES = ("table", "row", "columnheader", "rowheader", "cell")


def roles(tab, table):
    """How many of each role those hear who listen."""
    session = tab.context.new_cdp_session(tab)
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    wanted = {"nodeId": root, "selector": f"#table-{table}"}
    found = {"nodeId": session.send("DOM.querySelector", wanted)["nodeId"]}
    nodes = session.send("Accessibility.queryAXTree", found)["nodes"]
    heard = [node["role"]["value"] for node in nodes if not node.get("ignored")]
    return {role: heard.count(role) for role in ROLES}


@pytest.mark.browser
@pytest.mark.parametrize("name", ["rich", "crowded", "hostile"])
def test_no_such_table_scrolls_on_a_phone_and_each_is_heard_as_on_a_desk(chromium, name):
    text = page(name).decode("utf-8")
    with opened(chromium, text, **PHONE) as phone, opened(chromium, text) as desk:
        width = "() => document.documentElement.scrollWidth"
        assert phone.evaluate(width) <= 390
        for table in tables(name):
            box = phone.locator(f"#table-{table.id}")
            assert box.evaluate("t => t.scrollWidth <= t.parentElement.clientWidth + 1")
            assert roles(phone, table.id) == roles(desk, table.id)
            assert roles(phone, table.id)["columnheader"] == len(table.columns)
