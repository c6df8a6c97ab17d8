"""Characters that act on a reader's screen are shown by their number (law 7)."""

import pytest

from fiche.render.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, é, Ω, 8 192 GiB", "plain, é, Ω, 8 192 GiB"),
        ("a\x1b[31mb", "a‹U+001B›[31mb"),
        ("a\u202eb", "a‹U+202E›b"),
        ("a\u200bb\ufeff", "a‹U+200B›b‹U+FEFF›"),
        ("two\r\n\tlines", "two lines"),
        ("a\x00", "a‹U+0000›"),
        ("a\ud800", "a‹U+D800›"),
        ("\U000e0041", "‹U+E0041›"),
        ("\u4e2d\u6587 \u05d0", "\u4e2d\u6587 \u05d0"),
    ],
)
def test_visible(text, shown):
    assert visible(text) == shown
    assert visible(visible(text)) == shown
