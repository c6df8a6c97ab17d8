"""A row that cannot be right is refused where it stands, also where it is never decided in full (F7, law 4)."""

from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[2] / "samples" / "serving" / "fiche.yaml"
HEADER = "id,seller,kind,gpu,price.amount,price.covers,price.per"
RIGHT = "a,s,rent,nvidia-l4-24g,1.00 EUR,card,1 h"


def table(tmp_path, more, *cells):
    """A first row that is right and cheapest, then one a cell."""
    rows = [f"{HEADER},{more}", f"{RIGHT},"]
    rows += [
        f"b{place},s,rent,nvidia-l4-24g,9.00 EUR,card,1 h,{cell}"
        for place, cell in enumerate(cells)
    ]
    path = tmp_path / "m.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("more", "cell", "code"),
    [
        ("cards_per_lot", "0", "F305"),
        ("declared_memory.value", "80 GB", "F302"),
        ("tax.basis", "moon", "F304"),
        ("valid_until", "2026-02-30", "F207"),
        ("foo", "x", "F301"),
        ("a.a.a.a.a.a.a.a", "x", "F301"),
    ],
)
def test_a_row_that_is_far_down_is_refused_too(fiche, tmp_path, more, cell, code):
    path = table(tmp_path, more, cell)
    for asked in (("catalog", "screen", SAMPLE, path, "--top", "1"), ("catalog", "search", path)):
        ended = fiche(*asked)
        assert ended.code == 2
        assert f"m.csv:3:1: {code}" in ended.err


def test_all_that_is_wrong_is_told_at_once(fiche, tmp_path):
    ended = fiche("catalog", "search", table(tmp_path, "cards_per_lot", "0", "x", "1.5"))
    assert [f"m.csv:{line}:1: F30" in ended.err for line in (3, 4, 5)] == [True] * 3


def test_no_offer_at_all_is_screened(fiche, tmp_path):
    """Nothing in a file is no defect of it: the counts are zero and add up (law 8)."""
    for name, content in (("m.jsonl", ""), ("n.csv", f"{HEADER}\n")):
        (tmp_path / name).write_text(content)
        ended = fiche("catalog", "screen", SAMPLE, tmp_path / name)
        assert (ended.code, ended.err) == (0, "")
        assert "0 offers = 0 retained + 0 to confirm + 0 excluded" in ended.out
