"""What a browser and a reader's eye need: contrast, and a page that its own policy lets be styled (E2, E5)."""

import re
import shutil
import subprocess

import pytest
from render.pages import page

from fiche.assets import template_text

SHARED = template_text("report.css")
SCREEN = template_text("report_screen.css")


def themes():
    """The two palettes of the screen: each colour is a pair, so that none is given in one theme alone."""
    pairs = re.findall(r"--(\w+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", SCREEN)
    return {n: one for n, one, _ in pairs}, {n: other for n, _, other in pairs}


LIGHT, DARK = themes()


def luminance(colour):
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("theme", "name"), [(LIGHT, "light"), (DARK, "dark")])
@pytest.mark.parametrize("ground", ["paper", "faint"])
@pytest.mark.parametrize(
    ("text", "least"),
    [("ink", 7), ("good", 7), ("bad", 7), ("warn", 7), ("quiet", 7), ("link", 7)],
)
def test_text_stands_out_from_its_ground(theme, name, ground, text, least):
    """Status words above all; both themes, on paper and on a group row."""
    assert contrast(theme[text], theme[ground]) >= least, (name, ground, text)


@pytest.mark.parametrize(("theme", "name"), [(LIGHT, "light"), (DARK, "dark")])
def test_what_is_marked_in_a_file_stands_out(theme, name):
    assert contrast(theme["ink"], theme["hit"]) >= 7, name


def test_paper_and_a_screen_in_light_share_their_colours():
    """A browser without `light-dark()` shows the palette of paper."""
    shared = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", SHARED))
    assert shared.items() <= LIGHT.items()


def test_no_colour_of_a_screen_stands_outside_the_palettes():
    """A colour that is named once is right in one theme only."""
    outside = re.sub(r"light-dark\([^)]*\)", "", SCREEN)
    assert re.findall(r"#[0-9a-f]{3,8}\b", outside) == ["#14171a80"]  # what lies behind the panel


def test_kinds_differ_by_more_than_colour():
    """E2: each mark has a word and a frame of its own."""
    frames = {
        kind: re.search(rf"i\.{kind[0]} {{([^}}]*)}}", SHARED)[1]
        for kind in ("observed", "computed", "assumed", "declared", "stated")
    }
    assert "border-left-width" in frames["observed"]
    assert "double" in frames["computed"]
    assert "dashed" in frames["assumed"]
    assert "dotted" in frames["declared"]
    assert "transparent" in frames["stated"]


def test_paper_gets_no_rule_that_it_cannot_obey():
    """What only a screen understands stands in the sheet for screens."""
    paper = SHARED + template_text("report_print.css")
    assert not re.search(r"@media|clamp\(|prefers-|overflow-x|display: (grid|flex)", paper)


@pytest.mark.browser
def test_its_own_policy_lets_it_be_styled(tmp_path):
    """Chromium opens the page from disk and draws it in the fonts that it holds, and in no other."""
    path = tmp_path / "report.html"
    path.write_bytes(page("rich"))
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    )
    printed = tmp_path / "printed.pdf"
    subprocess.run(
        [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"),
            *(f"--user-data-dir={tmp_path}/profile", f"--print-to-pdf={printed}", path.as_uri()),
        ],
        capture_output=True,
        check=True,
        timeout=120,
    )
    told = subprocess.run(["pdffonts", printed], capture_output=True, check=True).stdout.decode()
    names = {line.split()[0].partition("+")[2] for line in told.splitlines()[2:]}
    # A drawing of the browser's own has no name.
    assert names - {""} == {"FicheSansRegular", "FicheSansSemiBold", "FicheMonoRegular"}
