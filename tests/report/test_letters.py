"""Words that are cut in a picture: a number goes with its unit, or not at all (B1)."""

import re

import pytest

from fiche.report.letters import fitted

TEXTS = (
    "113.91 to 121.50\u00a0GiB, on two",
    "at most 48.00\u00a0GiB (label)",
    "needs 1\u00a0234\u00a0B",
)


@pytest.mark.parametrize("text", TEXTS)
def test_no_amount_is_cut_from_its_unit(text):
    whole = re.findall(r"\d[\d.\u00a0]*(?: to \d[\d.]*)?\u00a0(?:GiB|B)", text)
    for room in range(0, 400, 3):
        shown = fitted(text, room, 12).removesuffix("…")
        assert text.startswith(shown)
        left = shown
        for amount in whole:
            left = left.replace(amount, "")
        assert not re.search(r"\d", left)
