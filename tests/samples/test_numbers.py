"""Every number that a report prints is one of decision.json, with its unit (law 1, law 2; E4).

The page is read as a reader has it, the decision as JSON alone; see `render.printed`. What is allowed beside
the decision is of the page itself, and stands here with its reason.
"""

import json
import re
import subprocess
from functools import cache

import pytest
from render.printed import BINARY, JOINTS, Lookup, Source, words_of
from samples.test_samples import COMPLETE, SAMPLES

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files
from fiche.kernel.record import replace
from fiche.languages import spoken, tags
from fiche.render.attachment import attachments_of
from fiche.report import numbers

# Names with digits in them: a program, and the norms that the PDF is built to.
NAMES = ("sha256sum", "PDF/A-3a", "PDF/UA-1", "RO-Crate 1.2")
# Files that fiche itself makes: no file holds its own length and digest, nor that of one which names it.
OWN = ("decision.json", "manifest.json", "ro-crate-metadata.json")
# Samples whose PDF is read too: the longest forms, with a record, a simulation and several currencies.
PRINTED = ("serving", "committee", "second-opinion")
# A name longer than this is broken anywhere, since it has no blank.
TORN = 20
# Digits in threes.
GROUPED = re.compile(rf"(?<![\w.,-])\d{{1,3}}(?:[ {JOINTS}]\d{{3}})+(?!\d)")


@cache
def compiled(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml")


@cache
def made(name, tag):
    return files(compiled(name), Asked(formats=("html", "json"), language=tag))


def lookup(name, tag):
    return Lookup(Source(json.loads(made(name, tag)["decision.json"])), spoken(tag))


def of_the_page(name, tag, content):
    """What may stand in a page and not in the decision: marks of axes, rows of a table counted, own files."""
    page = content.decode("utf-8")
    allowed = {*NAMES, *re.findall(r"<text\b[^>]*>([^<]*)</text>", page)}
    ticks = {text for text in allowed if re.fullmatch(r"[\d.,\u00a0\u202f ]+", text)}
    folded = {f"({count})" for count in re.findall(r"<summary[^>]*>.*?\((\d+)\)", page, re.DOTALL)}
    document = made(name, tag)["decision.json"]
    language = spoken(tag)
    attached = attachments_of(compiled(name).decision, document, compiled(name).contents, language)
    own = [one for one in attached if one.name in OWN]
    lengths = {numbers.exact_bytes(len(one.content), language.style) for one in own}
    digests = {one.sha256 for one in own} | {one.sha256[:n] for one in own for n in (10, 12, 16)}
    # A piece's file, without its folder.
    names = {one.name for one in attached if re.search(r"\d", one.name)}
    either = sorted({*NAMES, *names, *lengths, *digests}, key=len, reverse=True)
    loose = [
        re.sub(r"(?:\\?[ \u00a0\u202f])", "[ \u00a0\u202f]*", re.escape(each)) for each in either
    ]
    return ticks, loose, folded


def strange(name, tag, lines):
    ticks, allowed, folded = of_the_page(name, tag, made(name, tag)["report.html"])
    look = lookup(name, tag)
    for line in lines:
        if line in ticks:
            continue
        plain = re.sub("|".join(allowed), " ", line)
        if plain.endswith(tuple(folded)):
            plain = plain[: plain.rindex("(")]
        yield from look.strange(plain)


@pytest.mark.parametrize("tag", tags())
@pytest.mark.parametrize("name", COMPLETE)
def test_every_number_of_the_page_is_one_of_the_decision(name, tag):
    assert list(strange(name, tag, words_of(made(name, tag)["report.html"]))) == []


@pytest.mark.browser
@pytest.mark.parametrize("tag", tags())
@pytest.mark.parametrize("name", PRINTED)
def test_every_number_on_paper_is_one_of_the_decision(name, tag):
    """With the annex: all pages. A line of paper may begin or end within an amount, so lines are joined."""
    asked = Asked(formats=("pdf",), language=tag, annex=True)
    content = files(compiled(name), asked)["report.pdf"]
    assert list(strange_on_paper(name, tag, content)) == []


def strange_on_paper(name, tag, content):
    """A narrow blank comes back from a PDF as another or as none, and words of a picture as they were drawn."""
    ticks, allowed, _ = of_the_page(name, tag, made(name, tag)["report.html"])
    style = spoken(tag).style
    grouped = style.group in JOINTS
    drawn = {part for tick in ticks for part in re.split(rf"[ {JOINTS}]", tick)}
    document = made(name, tag)["decision.json"].decode()
    source = Source(json.loads(ungrouped(document) if grouped else document))
    look = Lookup(source, spoken(tag), replace(style, group="") if grouped else style)
    own = re.compile("|".join(allowed))
    for line in paper(content, drawn | {tick.replace("\u202f", "") for tick in ticks}, source.said):
        plain = re.sub(r"(?<=[^\W\d_])(?=\d+[.,]\d\d[ \u00a0]?GiB)", " ", own.sub(" ", line))
        for found in look.strange(ungrouped(plain) if grouped else plain):
            # Two cells of a row may read like one number in threes.
            token = r"[ \u00a0]?".join(map(re.escape, found.partition(" ")[0]))
            near = re.search(rf"{token}.{{0,30}}", plain)
            if near is None or list(look.strange(near[0])):
                yield found


def ungrouped(text):
    """Numbers without the blanks of their threes."""
    return GROUPED.sub(lambda found: re.sub(r"\D", "", found[0]), text)


def paper(content, ticks, said):
    """The words of each page, joined: an amount may go on in the next line, and a name without a blank."""
    command = ["pdftotext", "-raw", "-", "-"]
    text = subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode()
    for page in text.split("\f"):
        told = ""
        for line in page.split("\n"):
            if set(line.split()) <= {*ticks, *BINARY}:
                continue
            last, first = told.rpartition(" ")[2], line.partition(" ")[0]
            torn = len(last) > TORN and f"{last}{first}" in said
            told += line if torn else f" {line}"
        yield re.sub(r"[ \u00a0]+(?=[\u00a0 ])", "", told)


@pytest.mark.parametrize(
    ("line", "is_known"),
    [
        ("needs 21.21\u00a0GiB", True),
        ("needs 21.22\u00a0GiB", False),
        ("needs 21.21\u00a0GB", False),
        ("a package of 131.99\u00a0USD", True),
        ("a package of 131.99\u00a0EUR", False),
        ("a package of 131.98\u00a0USD", False),
        ("for 168\u00a0h", True),
        ("for 168\u00a0W", False),
        ("for 169\u00a0h", False),
        ("15.65 to 15.67\u00a0GiB", True),
        ("15.65 to 15.68\u00a0GiB", False),
        ("run-usual.json", True),
        ("run-usual2.json", False),
        ("5\u00a0800 prompt tokens", True),
        ("58\u00a0011 prompt tokens", False),
    ],
)
def test_a_number_that_is_not_there_would_be_found(line, is_known):
    """Rounded once, in its own unit, and no other."""
    assert (list(lookup("serving", "en").strange(line)) == []) == is_known
