"""What programs read of a report is in machine form in every language: days, names, places."""

import re
from datetime import date

import pytest
from render import decisions
from render.pages import attachments

from fiche.kernel.record import replace
from fiche.languages import spoken, tags
from fiche.render.html import html_bytes
from fiche.report.link_parts import Link, Remark
from fiche.report.parts import Amount, Code, Paragraph, Reference, Row, Section, Table, Words
from fiche.report.translated import translated
from fiche.report.view import view

# A name that people give to what they made on a day, and that looks like one.
DAY = "2026-11-29"


@pytest.mark.parametrize("tag", tags())
def test_a_head_says_for_programs_what_no_language_changes(tag):
    made = decisions.rich()
    page = html_bytes(view(made, spoken(tag)), made, attachments("rich")).decode()
    head = page[: page.index("</head>")]
    told = dict(re.findall(r'<meta name="([^"]+)" content="([^"]*)">', head))
    assert sorted(told) == [
        "author",
        "dcterms.created",
        "dcterms.modified",
        "generator",
        "viewport",
    ]
    assert date.fromisoformat(told["dcterms.created"]).isoformat() == made.fiche.date
    assert told["dcterms.modified"] == made.fiche.date
    assert told["author"] == made.fiche.author
    assert told["generator"] == f"fiche {made.tool_version}"
    assert f'<html lang="{tag}"' in head


@pytest.mark.parametrize("tag", tags())
def test_a_name_that_looks_like_a_day_stays_one_where_it_leads_somewhere(tag):
    """Words around it are told; what a link leads to, and what a number is called, are not."""
    amount = Amount(text="1 GiB", figure=DAY, mark="observed", mark_word="OBS")
    parts = (Reference(DAY), amount, Link("there", DAY), Remark(DAY, "comment", DAY))
    rows = (Row(cells=(), anchor=DAY, candidate=DAY, requirement=DAY),)
    table = Table(id=DAY, caption="one", columns=(), rows=rows)
    section = Section(id=DAY, title="one", blocks=(Paragraph(parts), table))
    made = view(decisions.bare(), spoken(tag))
    told = translated(replace(made, sections=(section,)), spoken(tag)).sections
    assert told == (section,)


@pytest.mark.parametrize("tag", tags())
def test_a_day_that_stands_alone_is_written_as_the_language_writes_it(tag):
    section = Section(id="days", title=DAY, blocks=(Paragraph((Code(DAY),)),))
    made = view(decisions.bare(), spoken(tag))
    (told,) = translated(replace(made, sections=(section,)), spoken(tag)).sections
    said = spoken(tag).style.date(date.fromisoformat(DAY))
    assert told.title == said
    assert told.blocks[0].parts == ((Code(DAY),) if tag == "en" else (Words(said),))
