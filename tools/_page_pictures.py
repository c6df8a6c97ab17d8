"""Photographs of real reports and pages, for the documentation: Pango, poppler and Chromium make them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

WIDE = {"width": 1180, "height": 760}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def photograph(root: Path) -> None:
    """Write every picture of a page; the commands of the tutorial are run for its own.

    Raises:
        RuntimeError: a program that is needed is not installed.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for sample in ("serving", "committee"):
            fiche = root / "samples" / sample / "fiche.yaml"
            _fiche(folder, "report", str(fiche), "-o", sample)
        _paper(root, folder)
        _screens(root, folder)


def _fiche(folder: Path, *words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "fiche", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )


def _paper(root: Path, folder: Path) -> None:
    sys.path.insert(0, str(root / "tests"))
    from walked import walk

    for ran in walk(root / "docs" / "tutorial.md", folder / "tutorial"):
        sys.stdout.write(f"$ {ran.command}\n")
    pictures = root / "docs" / "pictures"
    serving = list(_pages(folder / "serving" / "report.pdf", 90))
    _write(serving[0], root / "docs" / "report.png")
    _write(
        _below([_top(folder, root, tag) for tag in ("fr", "pt", "tr")]), pictures / "languages.png"
    )
    committee = list(_pages(folder / "committee" / "report.pdf", 80))
    _write(_beside(committee[:2]), pictures / "signed.png")
    signed = _page_with("Signatures", folder / "committee" / "report.pdf")
    _write(committee[signed], pictures / "record.png")
    _write(
        _beside(list(_pages(folder / "tutorial" / "out" / "report.pdf", 64))),
        pictures / "tutorial.png",
    )


def _pages(pdf: Path, dots: int) -> Iterator[Image.Image]:
    stem = pdf.with_suffix("")
    subprocess.run([_program("pdftoppm"), "-r", str(dots), "-png", pdf, stem], check=True)
    for path in sorted(pdf.parent.glob(f"{stem.name}-*.png")):
        yield Image.open(path).convert("RGB")


def _top(folder: Path, root: Path, tag: str) -> Image.Image:
    """The answer of page one, in a language."""
    fiche = root / "samples" / "serving" / "fiche.yaml"
    _fiche(folder, "report", str(fiche), "-o", tag, "--language", tag, "--formats", "pdf")
    page = next(iter(_pages(folder / tag / "report.pdf", 90)))
    return page.crop((0, 0, page.width, page.height * 2 // 5))


def _page_with(words: str, pdf: Path) -> int:
    """The page, counted from 0, on which the words stand first."""
    text = subprocess.run(
        [_program("pdftotext"), pdf, "-"], check=True, capture_output=True, text=True
    )
    return next(n for n, page in enumerate(text.stdout.split("\f")) if words in page)


def _beside(pages: list[Image.Image]) -> Image.Image:
    gap = 8
    width = sum(page.width for page in pages) + gap * (len(pages) - 1)
    whole = Image.new("RGB", (width, pages[0].height), "#8a97a5")
    left = 0
    for page in pages:
        whole.paste(page, (left, 0))
        left += page.width + gap
    return whole


def _below(pages: list[Image.Image]) -> Image.Image:
    gap = 8
    height = sum(page.height for page in pages) + gap * (len(pages) - 1)
    whole = Image.new("RGB", (pages[0].width, height), "#8a97a5")
    top = 0
    for page in pages:
        whole.paste(page, (0, top))
        top += page.height + gap
    return whole


def _write(picture: Image.Image, path: Path) -> None:
    """With few colours: text stays sharp, and the file small."""
    picture.quantize(160, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    sys.stdout.write(f"{path.name}  {path.stat().st_size} B\n")


def _screens(root: Path, folder: Path) -> None:
    address = (folder / "serving" / "report.html").as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_program(*BROWSERS), args=["--no-sandbox"]
        )
        for name, scheme, prepare in SCREENS:
            page = browser.new_page(viewport=WIDE, color_scheme=scheme)
            page.goto(address)
            prepare(page)
            shot = folder / f"{name}.png"
            page.wait_for_timeout(400)
            page.screenshot(path=shot)
            _write(Image.open(shot).convert("RGB"), root / "docs" / "pictures" / f"{name}.png")
            page.close()
        browser.close()


def _a_number(page: Page) -> None:
    page.goto(f"{page.url}#figure-rent-4090/memory.limit.margin")


def _the_candidates(page: Page) -> None:
    _up_to(page, "#candidates")


def _the_sizer(page: Page) -> None:
    _up_to(page, "#sizer")


def _up_to(page: Page, place: str) -> None:
    """Twice: what was far away is laid out only when it comes near."""
    for _ in "12":
        page.locator(place).evaluate("place => place.scrollIntoView({behavior: 'instant'})")
        page.wait_for_timeout(300)


SCREENS = (
    ("panel", "light", _a_number),
    ("candidates", "dark", _the_candidates),
    ("sizer", "light", _the_sizer),
)


def _program(*names: str) -> str:
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        raise RuntimeError(f"{' or '.join(names)} is not installed")
    return found
