"""Paper and attacks: every text stays on the page and inert; a render touches nothing but its own (law 7)."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from render import decisions
from render.pages import sha256

from fiche.render.attachment import attachments_of
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.render.pdf import rendered
from fiche.report.view import view

TESTS = Path(__file__).parents[1]
# Right-to-left, override, markup, data's end, template, PDF syntax, emoji, zero width, lines, SVG, CSS.
MIXED = (
    " \u05d0\u05d1\u05d2\u202e <script>alert(1)</script> ]]> {{ 7*7 }} %PDF-1.7 endobj (\\) \U0001f600"
    " \u200b\u200d a\nb <svg onload=x> </style> url(file:///etc/passwd) "
)
MARGIN_PT = 13 / 25.4 * 72 - 1


def poisoned(attack):
    return decisions.hostile(attack)


def unbroken():
    """Ten thousand letters without a blank in what people wrote; wrapping them is what takes time."""
    return decisions.hostile("W" * 10_000)


def printed(decision):
    attachments = attachments_of(decision, decision_bytes(decision), {})
    page = html_bytes(view(decision), decision, attachments)
    return rendered(page, attachments, "2026-11-29")


def words(content, folder):
    """Every word of every page: its corners in points from the page's upper left, and the page's own."""
    path = folder / "report.pdf"
    path.write_bytes(content)
    told = subprocess.run(["pdftotext", "-bbox", path, "-"], capture_output=True, check=True)
    for page in told.stdout.decode().split("<page ")[1:]:
        size = tuple(float(n) for n in re.findall(r'(?:width|height)="([\d.]+)"', page)[:2])
        for found in re.finditer(r"<word ([^>]*)>(.*?)</word>", page):
            corners = [float(n) for n in re.findall(r'="([-\d.]+)"', found[1])]
            yield size, corners, found[2]


@pytest.mark.browser
@pytest.mark.parametrize("made", [lambda: poisoned(MIXED), unbroken], ids=["mixed", "unbroken"])
def test_no_word_leaves_the_page(made, tmp_path):
    found = printed(made())
    assert found.complaints == ()
    out, count = [], 0
    for (width, height), (left, top, right, foot), word in words(found.pdf, tmp_path):
        count += 1
        inside = left >= MARGIN_PT and right <= width - MARGIN_PT and top >= 0 and foot <= height
        if not inside:
            out.append((word[:40], left, top, right, foot))
    assert count > 500
    assert out == []


# The child says what its interpreter was asked to open, run or reach while it rendered.
WATCHED = """
import json, sys
sys.path[:0] = [sys.argv[1]]
seen, on = [], [False]
def watch(event, args):
    if on[0] and event.partition(".")[0] in ("open", "socket", "subprocess", "os", "urllib", "pty"):
        seen.append([event, str(args[0])[:200] if args else ""])
sys.addaudithook(watch)
import weasyprint
from fiche.render.pdf import rendered
from render.pages import attachments
page = sys.stdin.buffer.read()
files = attachments("hostile")
rendered(b'<html lang="en"><title>t</title><h1>t</h1></html>', (), "2026-11-29")  # modules and caches
on[0] = True
made = rendered(page, files, "2026-11-29", annex=True)
on[0] = False
print(json.dumps(seen))
"""


@pytest.mark.slow
def test_a_render_opens_its_own_files_and_nothing_else():
    """Fonts for Pango lie in a temporary folder of WeasyPrint's own, and go with it."""
    from render.pages import page

    ended = subprocess.run(
        [sys.executable, "-c", WATCHED, str(TESTS)],
        input=page("hostile"),
        stdout=subprocess.PIPE,
        check=True,
    )
    seen = json.loads(ended.stdout)
    assert seen
    assert [each for each in seen if not harmless(*each)] == []


def harmless(event, what):
    if event == "urllib.Request":
        return what.startswith("data:")
    if event in ("open", "os.mkdir", "os.remove", "os.rmdir", "os.listdir", "os.scandir"):
        library = "/site-packages/" in what or "/lib/python3" in what or what == "None"
        own = re.search(r"/weasyprint-[^/]*(/[0-9a-f]{32})?$", what) or "/src/fiche/" in what
        return bool(own) or library
    return False


def test_an_attack_changes_nothing_but_the_words():
    """The same attack twice gives the same bytes: nothing in it ran, nothing was counted."""
    one, other = printed(poisoned(" {{ 7*7 }}")), printed(poisoned(" {{ 7*7 }}"))
    assert sha256(one.pdf) == sha256(other.pdf)
    assert b"/JavaScript" not in one.pdf
