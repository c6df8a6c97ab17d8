"""Patterns wait for their first use."""

import re

import pytest

from fiche.kernel.lazy import lazy


def test_a_pattern_is_compiled_when_it_is_used():
    waiting = lazy("(")
    with pytest.raises(re.error):
        waiting.search("a")
    assert lazy("a+").fullmatch("aa")[0] == "aa"
