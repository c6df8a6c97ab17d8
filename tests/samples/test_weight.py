"""A page weighs little before the bytes of its files, so that it can be mailed and opened on any machine.

Its ids are checked on the same pages: each names one thing.
"""

import re

import pytest
from samples.test_samples import COMPLETE, SAMPLES

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files

MOST = 250_000
LANGUAGES = ("en", "fr", "pt", "tr")


@pytest.mark.parametrize("name", COMPLETE)
def test_a_page_weighs_little_without_its_files(name):
    compiled = compile_fiche(SAMPLES / name / "fiche.yaml")
    for language in LANGUAGES:
        page = files(compiled, Asked(formats=("html",), language=language))["report.html"]
        weight = len(page) - sum(map(len, re.findall(rb'href="(data:[^"]*)"', page)))
        assert weight <= MOST, language
        named = re.findall(r'<[^<>]*?\sid=("[^"]*"|[^\s>]+)', page.decode())
        assert len(named) == len(set(named)), "an id names one thing"
