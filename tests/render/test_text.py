"""The terminal form: the answer first, every line within the width, nothing that moves a cursor (D0, law 7)."""

import re

import pytest
from render.pages import NAMES, decision

from fiche.kernel.diagnostic import Refused
from fiche.languages import spoken
from fiche.render._columns import cells, table
from fiche.render.text import check_text


def text(name="rich", **how):
    return check_text(decision(name), **{"width": 100, "colour": False, **how})


def test_the_answer_comes_first():
    told = text()
    assert told.index("Does this complete load fit on each device used") < told.index("Candidates")
    assert "● Fits rent-6000ada" in told
    assert "✕ Does not fit old-3090" in told
    assert "4 candidates: 1 retained + 2 to confirm + 1 excluded." in told
    assert "What is still missing" in told


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(name, width):
    """Only what cannot be broken may stand out: a number with its unit, a name."""
    for line in text(name, width=width).splitlines():
        assert cells(line) <= max(width, 100 if width == 60 else width) or " " not in line.strip()


def test_an_amount_keeps_its_unit_and_its_mark_in_one_piece():
    """E2, B1: at 80 columns a mark cut in two would be no mark."""
    told = check_text(decision("rich"), width=80, colour=False)
    numbers = re.findall(r"\d (?:GiB|USD|W|B) +(\S+)", told)
    assert {"OBS", "CALC", "DECL", "STATED"} <= set(numbers)
    assert not re.search(r"(GiB|USD|W) (CAL|STATE|STAT|OB|DEC)$", told, flags=re.MULTILINE)


def test_a_short_table_that_would_tear_words_is_told_row_by_row():
    """The shortlist is what a buyer reads: names stay whole, what is not told takes no line."""
    told = text(width=66)
    assert "    Package cost: 55.71 USD DECL" in told
    assert "\n\n▲ To confirm — 2, a shortlist and not a ranking\n" in told
    assert "Rank: –" not in told


def test_colour_is_an_addition():
    """The same text with and without it, but for the codes (E2: never by colour alone)."""
    plain, coloured = text(), text(colour=True)
    assert "\x1b" not in plain
    assert "\x1b[32m●" in coloured
    assert "\x1b[31m✕" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain


@pytest.mark.parametrize("colour", [True, False])
def test_hostile_text_moves_nothing(colour):
    told = text("hostile", colour=colour)
    assert not re.search(
        "[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u200b\ue000-\uf8ff]", told
    )
    assert "\x1b" not in re.sub(r"\x1b\[\d+m", "", told)
    assert "‹U+001B›" in told


def test_a_stream_of_few_characters_gets_signs_that_it_has():
    told = text(encoding="ascii")
    assert told.isascii()
    assert "+ Fits rent-6000ada" in told
    assert "-150 W CALC" in told


def test_a_language_that_nobody_wrote_is_refused():
    with pytest.raises(Refused, match="F602"):
        text(language=spoken("xx"))


def test_a_long_identifier_is_torn_at_its_joints():
    told = table(["of", "n"], [["process_device_used", "20.00\u00a0GiB\u00a0STATED"]] * 20, [1], 31)
    first, second = told.splitlines()[2:4]
    assert (first.split(" ")[0], second) == ("process_", "device_used")
    assert first.endswith("20.00\u00a0GiB\u00a0STATED")


def test_a_table_aligns_numbers_to_the_right_and_breaks_no_number():
    told = table(["a", "n"], [["x", "1.00\u00a0GiB"], "group", ["y", "20.00\u00a0GiB"]], [1], 20)
    assert told.splitlines() == [
        "a          n",
        "-  ---------",
        "x   1.00\u00a0GiB",
        "",
        "group",
        "y  20.00\u00a0GiB",
    ]
