"""Makes the fonts of the reports from IBM Plex: `python tools/make_fonts.py FOLDER`.

FOLDER holds the unpacked npm packages `@ibm/plex-sans` and `@ibm/plex-mono`. Reports embed what this
writes into src/fiche/fonts/, so it is run by hand, once a version of Plex, and its output is kept.

The results are renamed, as the licence asks of a modified font ("Plex" is a reserved name). They are
unhinted subsets, and the sans gains the three marks of a verdict, drawn here on its own cap height.
"""

import sys
from pathlib import Path

from fontTools.otlLib.optimize import compact
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parents[1] / "src" / "fiche" / "fonts"

# What the languages of reports are written in stands in the faces of every page; other European letters,
# Greek and Cyrillic, which names may have, take faces of their own, which only pages that need them hold.
LETTERS = {*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, "ĞğİıŞşŒœŸŠšŽž")}
FURTHER = {
    *range(0x100, 0x180), *range(0x218, 0x21C), *range(0x1E80, 0x1E86), *range(0x1EA0, 0x1EFA),
    *range(0x370, 0x400), *range(0x400, 0x460), *range(0x490, 0x492),
} - LETTERS  # fmt: skip
SIGNS = [ord(c) for c in "–—‘’‚“”„†‡•…‰′″‹›⁄⁰¹²³⁴⁵⁶⁷⁸⁹€№™←↑→↓−≈≠≤≥×÷±∞√∑ŞşĞğİı◊ẞƒˆ˜˘˙˚˛˝"]
MARKED = [0x25CF, 0x25B2, 0x2715]
SPACES = [0x2009, 0x200A, 0x202F]
# A page that has no other signs than these, such as most in English, holds faces that have no others.
BASIC = {
    *range(0x20, 0x7F), *SPACES, *MARKED, *map(ord, "\u00a0£§°±²³µ·×⁰⁹–—‘’“”•…‹›€→−≈≠≤≥"),
}  # fmt: skip
# What French, Portuguese and Turkish are spelled with besides.
SPELLED = BASIC | set(map(ord, "ÀÁÂÃÆÇÈÉÊËÍÎÏÓÔÕÖÙÚÛÜŒŸĞİŞàáâãæçèéêëíîïóôõöùúûüœÿğışªº«»"))
# Beside these a letter is kerned in the lighter faces; beside any other sign the eye sees no difference.
KERNED = (SPELLED - BASIC) | set(
    map(ord, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;-–−/()'’\"")
)
CAP = 698  # the cap height of Plex Sans, in units of 1000


def dot(pen: TTGlyphPen) -> None:
    """A disc as two rings of quadratic arcs would be; eight arcs are round enough at text sizes."""
    x, y, r, k = 300, CAP // 2, 270, 112  # k: r * tan(22.5 degrees), to the unit
    d = 191  # r * sin(45 degrees)
    pen.moveTo((x, y + r))
    for corner, end in (
        ((x + k, y + r), (x + d, y + d)),
        ((x + r, y + k), (x + r, y)),
        ((x + r, y - k), (x + d, y - d)),
        ((x + k, y - r), (x, y - r)),
        ((x - k, y - r), (x - d, y - d)),
        ((x - r, y - k), (x - r, y)),
        ((x - r, y + k), (x - d, y + d)),
        ((x - k, y + r), (x, y + r)),
    ):
        pen.qCurveTo(corner, end)
    pen.closePath()


def triangle(pen: TTGlyphPen) -> None:
    """Slightly taller than the disc, so that both look of one height."""
    pen.moveTo((10, 60))
    pen.lineTo((300, CAP - 30))
    pen.lineTo((590, 60))
    pen.closePath()


def cross(pen: TTGlyphPen) -> None:
    """Two strokes as heavy as the semibold's stems."""
    x, y, long, wide = 300, CAP // 2, 280, 68
    points = [
        (-long, long - wide), (-long + wide, long), (0, wide), (long - wide, long),
        (long, long - wide), (wide, 0), (long, -long + wide), (long - wide, -long),
        (0, -wide), (-long + wide, -long), (-long, -long + wide), (-wide, 0),
    ]  # fmt: skip
    pen.moveTo((x + points[0][0], y + points[0][1]))
    for across, up in points[1:]:
        pen.lineTo((x + across, y + up))
    pen.closePath()


MARKS = {
    MARKED[0]: ("mark.dot", dot),
    MARKED[1]: ("mark.triangle", triangle),
    MARKED[2]: ("mark.cross", cross),
}


def add_marks(font: TTFont) -> None:
    """Draws the marks of a verdict into an unhinted font, each as wide as a figure."""
    for code, (name, draw) in MARKS.items():
        pen = TTGlyphPen(None)
        draw(pen)
        font["glyf"][name] = pen.glyph()
        font["hmtx"][name] = (600, 0)
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap[code] = name


def renamed(font: TTFont, family: str, style: str) -> None:
    """Gives the subset a name of its own and keeps the copyright and licence records."""
    for record in list(font["name"].names):
        if record.nameID in (1, 16):
            record.string = family
        elif record.nameID in (2, 17):
            record.string = style
        elif record.nameID in (3, 4):
            record.string = f"{family} {style}"
        elif record.nameID == 6:
            record.string = f"{family} {style}".replace(" ", "")
        elif record.nameID not in (0, 5, 13, 14):
            font["name"].names.remove(record)


def subset(
    source: Path,
    target: str,
    name: tuple[str, str],
    letters: set[int],
    marks: bool,
) -> None:
    """Writes one woff2."""
    options = Options()
    options.hinting = False
    options.flavor = "woff2"
    options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl"]
    options.name_IDs = ["*"]
    options.notdef_outline = True
    font = TTFont(source)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    if marks:
        add_marks(font)
    renamed(font, *name)
    font.flavor = "woff2"
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    font.save(FONTS / target)
    size, count = (FONTS / target).stat().st_size, len(font.getBestCmap())
    sys.stdout.write(f"{target}: {size} bytes, {count} characters\n")


def lighter(style: str, name: str, letters: set[int]) -> None:
    """Writes a face of most pages, from the whole one: its outlines and its kerning, for fewer signs."""
    options = Options()
    options.hinting = False
    options.flavor = "woff2"
    options.layout_features = ["kern"]
    options.name_IDs = ["*"]
    options.notdef_outline = True
    font = TTFont(FONTS / f"FicheSans-{style}.woff2", recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    kern_only(font, KERNED & letters)
    compact(font, 1)  # the same kerning in fewer tables
    font.flavor = "woff2"
    font.save(FONTS / f"{name}-{style}.woff2")


def kern_only(font: TTFont, letters: set[int]) -> None:
    """Leaves out the kerning of all other signs."""
    names = font.getBestCmap()
    kept = Subsetter(Options())
    kept.glyphs = {names[code] for code in letters}
    for lookup in font["GPOS"].table.LookupList.Lookup:
        lookup.SubTable = [table for table in lookup.SubTable if table.subset_glyphs(kept)]
        lookup.SubTableCount = len(lookup.SubTable)


def main(folder: Path) -> None:
    """Makes the nine files."""
    sans = folder / "@ibm/plex-sans/fonts/complete/woff2"
    mono = folder / "@ibm/plex-mono/fonts/complete/woff2"
    shared = {*SIGNS, *SPACES}
    for style in ("Regular", "SemiBold"):
        source = sans / f"IBMPlexSans-{style}.woff2"
        letters = LETTERS | shared
        subset(source, f"FicheSans-{style}.woff2", ("Fiche Sans", style), letters, marks=True)
        lighter(style, "FicheSansBasic", BASIC)
        lighter(style, "FicheSansSpelled", SPELLED)
        further = ("Fiche Sans Further", style)
        subset(source, f"FicheSansFurther-{style}.woff2", further, FURTHER - shared, marks=False)
    source = mono / "IBMPlexMono-Regular.woff2"
    # Identifiers and paths; any other sign in one is drawn by the sans.
    letters = {*range(0x20, 0x7F), *map(ord, "…–−×→≤≥")}
    subset(source, "FicheMono-Regular.woff2", ("Fiche Mono", "Regular"), letters, marks=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
