"""`printed` never says yes to what a pattern of active characters would find."""

import sys

import pytest

from fiche.kernel.printed import printed
from fiche.load.source import _BREAKS, FORBIDDEN
from fiche.render.visible import ACTIVE


def test_no_character_that_acts_is_printed():
    every = [chr(number) for number in range(sys.maxunicode + 1)]
    assert not [one for one in every if printed(one) and ACTIVE.search(one)]
    broken = [one for one in every if FORBIDDEN.search(one) or _BREAKS.search(one)]
    assert not [one for one in broken if printed(one, lines=True)]


@pytest.mark.parametrize("text", ["", "a b", "3\u202f000\u00a0GiB – ≥ é", "日本"])
def test_usual_texts_are_printed(text):
    assert printed(text)


def test_lines_count_where_asked():
    assert printed("a:\n\tb", lines=True)
    assert not printed("a:\n\tb")
