"""One HTML file: no request, strict policy, inert text, all numbers walkable (E4, E5, law 7)."""

import json
import os
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from render.pages import NAMES, attachments, decision, page, read, shown

from fiche.assets import package_data, template_dir, template_text
from fiche.render._rules import styled
from fiche.render.html import (
    BASIC_FONTS,
    FONTS,
    FURTHER,
    FURTHER_FONTS,
    NOT_BASIC,
    NOT_SPELLED,
    SPELLED_FONTS,
    html_bytes,
)
from fiche.render.json import decision_bytes
from fiche.render.scripts import SCRIPTS, inert, scripts
from fiche.report import numbers
from fiche.report.desk import signed
from fiche.report.view import view

TESTS = Path(__file__).parents[1]


def ids_of(name):
    """Every id of decision.json: figures, and readings of pieces."""
    told = json.loads(decision_bytes(decision(name)))
    return set(re.findall(r'"id":"((?:[^"\\]|\\.)*)"', json.dumps(told, separators=(",", ":"))))


# --- One file, nothing else ---------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_it_asks_for_nothing(name):
    for element in read(name).elements:
        attributes = element["attrs"]
        for key in ("src", "srcset", "poster", "action", "formaction", "background", "ping"):
            assert key not in attributes
        href = attributes.get("href", "#")
        assert href.startswith(("#", "data:"))
        assert element["tag"] not in ("link", "iframe", "object", "embed", "form", "base", "img")
    styles = "".join(e["text"] for e in read(name).all("style"))
    assert set(re.findall(r"url\(([a-z]+):", styles)) == {"data"}
    assert "@import" not in styles


@pytest.mark.parametrize("name", NAMES)
def test_the_policy_names_each_style_and_script_and_allows_no_other(name):
    """To the letter: nothing is allowed that the page does not hold."""
    policy = read(name).all("meta")[1]["attrs"]["content"]
    raw = page(name).decode()
    assert policy == (
        f"default-src 'none'; style-src {digests(raw, 'style')}; script-src {digests(raw, 'script')}; "
        "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
    )


def digests(raw, tag):
    texts = re.findall(rf"<{tag}(?: media=[^>]*)?>(.*?)</{tag}>", raw, re.DOTALL)
    return " ".join(
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts
    )


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_is_inert(name):
    """Scripts are the page's own, to the letter; no handler, no style attribute; what acts is written out."""
    written = [s["text"] for s in read(name).all("script") if not s["attrs"]]
    assert written[: len(SCRIPTS)] == list(scripts())
    islands = [s["attrs"] for s in read(name).all("script") if s["attrs"]]
    assert islands[0] == {"type": "application/json", "id": "words"}
    assert all(island["type"] == "application/json" for island in islands)
    for element in read(name).elements:
        names = element["attrs"]
        assert not any(n.startswith("on") or n in ("style", "srcdoc", "xlink:href") for n in names)
        assert "javascript:" not in " ".join(v or "" for v in names.values())
    text = page(name).decode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b\ufeff]", shown(name))
    assert "\x1b" not in text
    assert "\x00" not in text


def test_an_attack_is_shown_and_does_nothing():
    assert "<img src=x onerror=alert(1)>" in shown("hostile")
    assert "‹U+202E›" in shown("hostile")
    assert "{{7*7}}" in shown("hostile")
    assert read("hostile").all("img") == []


@pytest.mark.parametrize("name", NAMES)
def test_the_raw_decision_is_inside_once(name):
    """The link that saves it is the copy that scripts read."""
    told = decision_bytes(decision(name))
    links = [e["attrs"] for e in read(name).all("a") if e["attrs"].get("download")]
    saved = [a["href"] for a in links if a["download"] == "decision.json"]
    assert [b64decode(href.partition("base64,")[2]) for href in saved] == [told]
    assert told[:2000] not in page(name)


def test_the_words_of_the_scripts_cannot_end_their_element():
    hostile = inert({"</script><b>": "]]>&<!--"})
    assert not set(hostile) & set("<>&")
    assert json.loads(hostile) == {"</script><b>": "]]>&<!--"}


def test_scripts_make_no_markup_of_text():
    """Elements are made one by one; nothing parses, writes or evaluates a text."""
    banned = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser"
    )
    for text in scripts():
        assert not re.search(banned + r"|fetch\(|XMLHttp|localStorage|\.style\b", text)


def test_every_file_can_be_saved_unchanged():
    """E4: decision.json, every piece and the fiche, by links that need no script."""
    links = [e["attrs"] for e in read("rich").all("a") if "download" in e["attrs"]]
    saved = {a["download"]: b64decode(a["href"].partition("base64,")[2]) for a in links}
    assert saved == {a.name: a.content for a in attachments("rich")}
    assert saved["decision.json"] == decision_bytes(decision("rich"))
    for attached in attachments("rich"):
        assert attached.sha256 in shown("rich")


def test_without_attachments_the_decision_is_still_inside():
    made = decision("bare")
    bare = html_bytes(view(made), made, ())
    assert sha256(decision_bytes(made)).hexdigest().encode() in bare


SHEETS = sorted(path.name for path in template_dir().glob("report*.css"))


@pytest.mark.parametrize("name", SHEETS)
def test_a_style_sheet_says_the_same_without_its_blanks(name):
    """Read by a reader of CSS: the same rules, selectors and values, quoted text to the letter; what ends a
    block needs no sign that it ends."""
    tinycss2 = pytest.importorskip("tinycss2")
    whole = template_text(name)

    def told(text):
        nodes = tinycss2.parse_component_value_list(text, skip_comments=True)
        return list(flat(nodes))

    def flat(nodes):
        said = [node for node in nodes if node.type != "whitespace"]
        for place, node in enumerate(said, 1):
            if node.type == "literal" and node.value == ";" and place == len(said):
                continue
            yield node.type, getattr(node, "value", getattr(node, "name", None))
            yield from flat(
                getattr(node, "content", None) or getattr(node, "arguments", None) or ()
            )

    short = str(styled(whole))
    assert len(short) < len(whole)
    assert told(short) == told(whole)


def test_the_scripts_of_a_page_are_what_their_sources_give():
    """Made anew by the same tool: after a change of one, `make scripts`."""
    sys.path.insert(0, str(TESTS.parent / "tools"))
    from scripts import stale

    assert stale() == []


# --- Letters ------------------------------------------------------------------------------------


def characters(fonts):
    from fontTools.ttLib import TTFont

    maps = [
        set(TTFont(package_data(f"fonts/{f}")).getBestCmap()) for n, _, f in fonts if "Sans" in n
    ]
    assert maps[0] == maps[1]
    return maps[0]


def test_further_letters_are_known_by_the_faces_that_have_them():
    """The pattern and the two pairs of faces share all letters out, none twice."""
    common, further = characters(FONTS), characters(FURTHER_FONTS)
    assert not common & further
    assert {c for c in range(0x10000) if FURTHER.match(chr(c))} >= further
    assert not any(FURTHER.match(chr(c)) for c in common)


@pytest.mark.parametrize(
    ("fonts", "asking"), [(BASIC_FONTS, NOT_BASIC), (SPELLED_FONTS, NOT_SPELLED)]
)
def test_lighter_faces_have_every_letter_but_those_that_ask_for_others(fonts, asking):
    lighter = characters(fonts)
    assert lighter < characters(FONTS)
    told = {c for c in range(0x10000) if asking.match(chr(c))}
    assert told == set(range(0x10000)) - lighter - {ord("\n")}


# Letters, figures, and the signs that stand beside them in a sentence.
KERNED = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;-–−/()'’\""
    "ÀÁÂÃÆÇÈÉÊËÍÎÏÓÔÕÖÙÚÛÜŒŸĞİŞàáâãæçèéêëíîïóôõöùúûüœÿğışªº«»"
)


@pytest.mark.parametrize("fonts", [BASIC_FONTS, SPELLED_FONTS])
def test_lighter_faces_draw_and_set_as_the_whole_ones(fonts):
    """Outlines, widths and the kerning of words are the same: a page looks the same in either."""
    from fontTools.ttLib import TTFont

    for (_, _, basic), (_, _, whole) in zip(fonts[:2], FONTS[:2], strict=True):
        one, other = (TTFont(package_data(f"fonts/{f}")) for f in (basic, whole))
        assert one["name"].getDebugName(4) == other["name"].getDebugName(4)
        for code, glyph in one.getBestCmap().items():
            same = other.getBestCmap()[code]
            assert one["hmtx"][glyph] == other["hmtx"][same]
            drawn = [outline(font, name) for font, name in ((one, glyph), (other, same))]
            assert drawn[0] == drawn[1], chr(code)
        assert kerning(one) == {
            pair: by
            for pair, by in kerning(other).items()
            if all(chr(each) in KERNED for each in pair) and set(pair) <= set(one.getBestCmap())
        }


def outline(font, name):
    from fontTools.pens.recordingPen import DecomposingRecordingPen

    pen = DecomposingRecordingPen(font.getGlyphSet())
    font.getGlyphSet()[name].draw(pen)
    return pen.value


def kerning(font):
    """By how much each pair of characters is kerned, where it is."""
    codes = {glyph: code for code, glyph in font.getBestCmap().items()}
    found = {}
    for lookup in font["GPOS"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            table = getattr(table, "ExtSubTable", table)
            for first, glyph in enumerate(table.Coverage.glyphs):
                for second, by in pairs(table, first, glyph, codes):
                    if glyph in codes and by and (codes[glyph], codes[second]) not in found:
                        found[codes[glyph], codes[second]] = by
    return found


def pairs(table, first, glyph, codes):
    if table.Format == 1:
        for each in table.PairSet[first].PairValueRecord:
            if each.SecondGlyph in codes:
                yield each.SecondGlyph, each.Value1.XAdvance if each.Value1 else 0
        return
    row = table.Class1Record[table.ClassDef1.classDefs.get(glyph, 0)]
    for second in codes:
        value = row.Class2Record[table.ClassDef2.classDefs.get(second, 0)].Value1
        yield second, value.XAdvance if value else 0


def test_a_page_holds_the_faces_of_its_letters():
    """A Greek or a Polish name brings the further faces, a Danish the whole ones; plain English neither."""
    from fiche.kernel.record import replace

    made = decision("bare")
    for name, fonts in {
        "Jo Smith": BASIC_FONTS,
        **dict.fromkeys(("Müge Şahin", "Œuvre", "João"), SPELLED_FONTS),
        **dict.fromkeys(("Søren", "Señor"), FONTS),
        **dict.fromkeys(("Νίκος", "Łukasz", "Ольга", "Đặng"), (*FONTS, *FURTHER_FONTS)),
    }.items():
        told = html_bytes(view(replace(made, fiche=replace(made.fiche, author=name))), made, ())
        assert faces(told) == [
            b64encode(package_data(f"fonts/{f}").read_bytes()) for _, _, f in fonts
        ]
        digests = told[: told.index(b"<style")]
        for sheet in re.findall(rb"<style[^>]*>(.*?)</style>", told, re.DOTALL):
            assert b64encode(sha256(sheet).digest()) in digests


def faces(told):
    return re.findall(rb"font/woff2;base64,([^)]*)\)", told)


# --- Structure ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_it_is_well_built(name):
    """lang, one h1, no skipped heading, landmarks, unique ids, links that lead somewhere."""
    reader = read(name)
    assert reader.all("html")[0]["attrs"]["lang"] == "en"
    assert len(reader.all("h1")) == len(reader.all("main")) == 1
    levels = [int(e["tag"][1]) for e in reader.elements if re.fullmatch("h[1-6]", e["tag"])]
    assert all(b - a <= 1 for a, b in pairwise(levels))
    ids = [e["attrs"]["id"] for e in reader.elements if "id" in e["attrs"]]
    assert len(ids) == len(set(ids))
    for link in reader.all("a"):
        href = link["attrs"]["href"]
        if href.startswith("#"):
            assert href[1:] in ids
    assert reader.all("a")[0]["attrs"]["class"] == "skip"


@pytest.mark.parametrize("name", NAMES)
def test_every_table_has_a_caption_and_scopes(name):
    reader = read(name)
    assert len(reader.all("caption")) == len(reader.all("table"))
    # What a heading is of follows from where it stands (HTML, 4.9.12.2), but where it heads several rows.
    assert {e["attrs"].get("scope") for e in reader.all("th")} <= {None, "row", "rowgroup"}
    for head in reader.all("th"):
        if {"rowspan", "colspan"} & head["attrs"].keys():
            assert head["attrs"]["scope"] == "rowgroup"
    assert not any(e["tag"] == "td" and not e["text"].strip() for e in reader.elements)
    boxes = [e["attrs"] for e in reader.all("div") if e["attrs"].get("role") == "region"]
    boxes = [box for box in boxes if box.get("class") != "view"]
    assert len(boxes) == len(reader.all("table"))
    assert all(b["tabindex"] == "0" and b["role"] == "region" for b in boxes)
    labels = {e["attrs"].get("id") for e in reader.elements}
    assert all(b["aria-labelledby"] in labels for b in boxes)


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_says_in_words_what_it_shows(name):
    """Each figure is one drawing with a title, or a bar whose caption says the same: a reader hears it."""
    reader = read(name)
    drawings, figures = reader.all("svg"), reader.all("figure")
    titles = [e["text"] for e in reader.all("title") if "svg" in e["path"]]
    captions = {e["attrs"].get("id"): e["text"] for e in reader.all("figcaption")}
    labels = [d["attrs"]["aria-labelledby"] for d in drawings if "aria-labelledby" in d["attrs"]]
    assert len(drawings) == len(titles) + len(labels) == len(figures)
    assert all(len(said) > 20 for said in (*titles, *(captions[label] for label in labels)))
    assert all(drawing["attrs"]["role"] == "img" for drawing in drawings)
    if name == "rich":
        assert any("KV cache 4.00\u00a0GiB" in captions[label] for label in labels)


# --- Numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_in_the_decision(name):
    """Each marked number bears an id of decision.json, its unit and its kind (E2)."""
    amounts = read(name).all("data")
    assert len(amounts) > 3
    known = ids_of(name)
    assert {e["attrs"]["value"] for e in amounts} <= known


def test_a_number_is_what_its_figure_says():
    from fiche.kernel.ledger import ledger

    listed = ledger(decision("rich")).figures
    style = numbers.PAGE
    assert signed(numbers.amount(listed["limit.kv_cache"], style)) == "4.00\u00a0GiB"
    values = {
        (e["attrs"]["value"], e["text"].replace("\u00a0", " ")) for e in read("rich").all("data")
    }
    assert ("limit.kv_cache", "4.00 GiB CALC") in values
    assert ("reserve.cuda_context", "0.50 GiB ASSUM") in values
    assert ("limit.envelope", "19.46 GiB CALC incl. ASSUM") in values
    assert ("run-6000ada/whole-loop.process_device_used.cuda0", "20.93 GiB OBS") in values
    assert ("offer-02.price", "55.71 USD DECL") in values
    assert ("rent-4090/quiet.margin", "−150 W CALC") in values


# --- Bytes --------------------------------------------------------------------------------------


def test_two_processes_of_two_zones_agree(tmp_path):
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from render import pages\n"
        "sys.stdout.buffer.write(pages.page('rich'))"
    )
    made = [
        subprocess.run(
            [sys.executable, "-c", code, str(TESTS)],
            env={**os.environ, "TZ": zone, "PYTHONHASHSEED": seed},
            cwd=folder,
            capture_output=True,
            check=True,
        ).stdout
        for zone, seed, folder in (("UTC", "1", TESTS), ("Asia/Tokyo", "2", tmp_path))
    ]
    assert made[0] == made[1] == page("rich")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "hostile"])
def test_it_is_small(name):
    """At most 250 KB beside the attached files, which are the links that save them."""
    links = [e["attrs"]["href"] for e in read(name).all("a") if "download" in e["attrs"]]
    assert len(page(name)) - sum(map(len, links)) < 250_000
