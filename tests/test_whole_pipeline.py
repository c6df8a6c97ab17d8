"""Samples and their evidence, damaged at random, from bytes to page: a refusal or a decision, nothing else.

Laws 3, 4 and 7: whatever comes in, no stage may fail in another way than by diagnostics, and what comes
out is of the documented form and harmless. A seed alone makes an example: print it, run it again.
"""

import json
import random
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import MemoryFolder
from markupsafe import Markup

from fiche.assets import schema_text
from fiche.cli.compile import doors, importers
from fiche.cli.diagnostics import diagnostics_text
from fiche.evaluate.decide import decide
from fiche.kernel.diagnostic import Refused
from fiche.languages import spoken
from fiche.load.extent import answers
from fiche.load.fiche import load_bytes
from fiche.load.node import Mapping, Scalar
from fiche.load.source import source
from fiche.load.tree import parse
from fiche.render.attachment import attachments_of
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.render.scripts import scripts
from fiche.render.text import check_text
from fiche.report.view import view

SAMPLES = Path(__file__).parents[1] / "samples"
NAMES = ("guide", "serving", "qlora", "two-cards", "one-change")
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>]]>--><!--{{7*7}}"
TEXTS = (
    HOSTILE,
    "javascript:alert(1)",
    "a" * 1900,
    "word " * 350,
    "\u05d0\u05d1\u0627\u0644 \u91cd\u307f e\u0301\u0301\u0301 \U0001f469\u200d\U0001f680",
    "zero\u200bwidth\u2028line\u2029end\u00adsoft \ue000private",
    "%s {0} {title} ${x} \\ ' \" ` & &amp; &#60;",
    "=cmd|'/c calc'!A0",
    "null",
    "none",
    "~",
    "-1",
    "1e999",
    "NaN",
    "0x1F",
    "..",
    "[]",
)
NUMBERS = (0, 1, 2, 3, 7, -1, 31, 2**31, 2**53 + 1, 2**63, 10**17, 10**18 - 1, 10**30, 10**400)
WORDS = (
    "0 B",
    "1 B",
    "1 MiB",
    "24 GB",
    "0.000001 GiB",
    "99999999999999999999999999 PiB",
    "1e9 GB",
    "24",
    "24G",
    "0 %",
    "100 %",
    "101 %",
    "0.62",
    "0",
    "1",
    "1.0000001",
    "0 USD",
    "0.001 USD",
    "47.14 EUR",
    "1 XAU",
    "1 KWD",
    "60 usd",
    "0 h",
    "0.0001 s",
    "999999999 weeks",
    "1 month",
    "300 W",
    "0 W",
    "900 GB/s",
    "0 bit/s",
    "2026-11-29",
    "0001-01-01",
    "9999-12-31",
    "2026-02-30",
    "99999-01-01",
    "0000-00-00",
    "29/11/2026",
    "2.10",
    "0.28.0",
    "v1!2.3+local",
    "generation",
    "training",
    "adaptation",
    "cuda",
    "hip",
    "all",
    "none",
    "must",
    "want",
    "included",
    "excluded",
    "lot",
    "hours",
    "nearest",
    "floor",
    "exact",
    "bf16",
    "nf4",
    "fp8_e4m3",
    "neutral",
    "strict",
    "limit",
    "usual",
    "memory",
    "cost",
    "nvidia-rtx-4090-24g",
    "nvidia-a100-80g-sxm",
    "en",
    "fr",
    "true",
    "evidence/run-usual.json",
    "evidence",
    ".",
    "/etc/passwd",
    "fiche.yaml",
    "offers.yaml",
    "qlora",
    "full",
)


# --- What goes in ---------------------------------------------------------------------------------


@cache
def sample(name):
    """The bytes of a sample's files by name, its fiche first."""
    folder = SAMPLES / name
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "README.md")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}


def plain(node):
    """A tree of dicts, lists and scalars that `written` writes back."""
    if isinstance(node, Mapping):
        return {key: plain(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, Scalar):
        return node.text if not node.plain else Raw(node.text)
    return [plain(item) for item in node.items]


class Raw(str):
    """A text that stands without quotes."""

    __slots__ = ()


def written(value):
    """YAML in flow style: JSON but for what was written without quotes."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(k)}: {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, Raw) and re.fullmatch(r"[\w.+-]+( [\w%./-]+)?", value, re.ASCII):
        return value
    return quoted(value)


def quoted(text):
    return json.dumps(str(text), ensure_ascii=False)


def places(value):
    """Every (container, key) of a tree."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


QUANTITIES = ("0", "1", "0.001", "24.5", "47.14", "99", "160", "4096", "999999999999999999999999")
COUNTS = (0, 1, 2, 3, 4, 8, 16, 128, 10**6, 2**33, 10**17)


FREE = frozenset(
    (
        "title",
        "illustrative",
        "author",
        "because",
        "by",
        "role",
        "name",
        "revision",
        "version",
        "metric",
        "dataset",
        "notes",
        "attention",
        "seller",
        "process",
        "split",
        "software",
        "document",
        "driver",
        "os",
        "runtime",
        "terms",
        "machine",
    )
)


@cache
def said():
    """What the samples say under each key."""
    found = {}
    for name in NAMES:
        for file, content in sample(name).items():
            if file.endswith((".yaml", ".json")):
                for into, key in places(plain(parse(source(file, content)))):
                    if isinstance(into[key], str):
                        found.setdefault(key, {})[into[key]] = None
    return {key: tuple(values) for key, values in found.items()}


def alike(key, old, chance):
    """Another value of the same sort, so that more than the first check is reached."""
    if isinstance(old, bool | None | float | dict | list):
        return old
    if isinstance(old, int):
        return chance.choice((*COUNTS, old + 1, old * 2, old // 2))
    number = re.fullmatch(r"[0-9.]+( .+)?", old)
    if number is None:
        return chance.choice(TEXTS if key in FREE else said().get(key, WORDS))
    if number[1]:
        return Raw(chance.choice(QUANTITIES) + number[1])
    return Raw(chance.choice(COUNTS))


def changed(tree, chance, scalars):
    """A tree with one thing dropped, doubled, moved or replaced."""
    into, key = chance.choice(list(places(tree)))
    match chance.randrange(24):
        case 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23:
            leaves = [(c, k) for c, k in places(tree) if not isinstance(c[k], dict | list)]
            into, key = chance.choice(leaves or [(into, key)])
            into[key] = alike(key, into[key], chance)
        case 0:
            del into[key]
        case 1 if isinstance(into, list):
            into.insert(
                key,
                json.loads(json.dumps(into[key]))
                if scalars is NUMBERS
                else again(into[key], chance),
            )
        case 2:
            other, at = chance.choice(list(places(tree)))
            into[key] = json.loads(json.dumps(other[at]))
        case 3 if isinstance(into, dict):
            into[chance.choice((*into, "extra", HOSTILE))] = into[key]
        case 4 if isinstance(into[key], list):
            chance.shuffle(into[key])
        case _:
            into[key] = chance.choice(scalars)


def again(item, chance):
    """The same item once more, often under an id of its own."""
    copy = dict(item) if isinstance(item, dict) else item
    if isinstance(copy, dict) and "id" in copy and chance.random() < 0.9:
        copy["id"] = f"{copy['id']}-{chance.randrange(100)}"
    return copy


def damaged_fiche(content, chance):
    tree = plain(parse(source("fiche.yaml", content)))
    scalars = (*TEXTS, *map(Raw, WORDS), *map(Raw, map(str, NUMBERS)), {}, [], {"value": Raw("1")})
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        changed(tree, chance, scalars)
    return written(tree).encode()


def damaged_record(content, chance):
    tree = json.loads(content)
    for _ in range(chance.choice((1, 1, 2, 3))):
        changed(
            tree, chance, (*TEXTS, *NUMBERS, None, True, False, 1.5, float("inf"), {}, [], [[]])
        )
    return json.dumps(tree, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")


DEBRIS = (
    b"\x00",
    b"\xff\xfe",
    b"\x1b[2J\x1b]8;;http://x\x07",
    b"\r",
    b"\n" * 9,
    HOSTILE.encode(),
    "\u202e".encode(),
    b"GiB",
)


def damaged_text(content, chance):
    """A log or a document with bytes cut, doubled, or figures replaced."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        to = at + chance.choice((1, 5, 80))
        found = list(re.finditer(rb"[0-9]+", content))
        match chance.randrange(4):
            case 0:
                content = content[:at] + content[to:]
            case 1:
                content = content[:to] + content[at:]
            case 2 if found:
                one = chance.choice(found)
                content = (
                    content[: one.start()]
                    + str(chance.choice(NUMBERS)).encode()
                    + content[one.end() :]
                )
            case _:
                content = content[:at] + chance.choice(DEBRIS) + content[at:]
    return content


def damaged(seed):
    """The files of a sample, the fiche in another style, a few of them damaged."""
    chance = random.Random(seed)
    files = dict(sample(chance.choice(NAMES)))
    files["fiche.yaml"] = damaged_fiche(files["fiche.yaml"], chance)
    for name in chance.sample(sorted(files), min(len(files), chance.choice((0, 0, 1, 1, 2)))):
        if name.endswith(".json"):
            files[name] = damaged_record(files[name], chance)
        elif name != "fiche.yaml":
            files[name] = damaged_text(files[name], chance)
    return files


# --- What comes out -------------------------------------------------------------------------------


@cache
def world():
    schema = json.loads(schema_text("decision.schema.json"))
    return importers(), doors(), jsonschema_rs.Draft202012Validator(schema)


def compiled(files):
    """The decision and the bytes of all files that went in."""
    known, members, _ = world()
    loaded = load_bytes("fiche.yaml", files["fiche.yaml"], MemoryFolder(files), known)
    return decide(loaded.fiche, members, "0.0.0"), loaded.contents


ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ue000-\uf8ff]"
)


class Page(HTMLParser):
    """What a browser would do with a page, as far as it could be made to act."""

    def __init__(self):
        super().__init__()
        self.scripts, self.acting, self.tags, self.told = [], [], set(), None

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.tags.add(tag)
        if tag == "script":
            self.told = []
            self.scripts.append((told.get("type"), self.told))
        if tag == "input":  # of the page's own: which colours, and no field to fill
            self.acting += [told["type"]] * (told["type"] != "radio" or told["name"] != "theme")
        links = [told.get(name) or "" for name in ("href", "src", "action", "formaction")]
        self.acting += [link for link in links if not link.startswith(("#", "data:")) and link]
        self.acting += [name for name in told if name.startswith("on") or name == "srcdoc"]

    def handle_data(self, text):
        if self.told is not None:
            self.told.append(text)

    def handle_endtag(self, tag):
        if tag == "script":
            self.told = None


def looked_at(page):
    found = Page()
    found.feed(page)
    found.close()
    assert [kind for kind, _ in found.scripts if kind] == ["application/json"]
    assert [Markup("".join(told)) for kind, told in found.scripts if not kind] == [*scripts()]
    assert found.acting == []
    assert not found.tags & {"img", "iframe", "object", "embed", "form", "base", "link"}


def well_refused(diagnostics):
    """Each has a hint, and nothing in them acts on a terminal."""
    assert diagnostics
    assert [str(one) for one in diagnostics if not one.hint] == []
    assert not ACTIVE.search(diagnostics_text(diagnostics))


def outcome(files):
    """Compile and write all there is; answer `refused` or `decided`."""
    try:
        decision, contents = compiled(files)
    except Refused as refused:
        well_refused(refused.diagnostics)
        return "refused"
    document = decision_bytes(decision)
    told = json.loads(document)
    assert [str(error) for error in world()[2].iter_errors(told)] == []
    counts = told["counts"]
    assert sum(counts[s] for s in ("retained", "to_confirm", "excluded")) == counts["candidates"]
    fiche = decision.fiche
    asked = sum(answers(candidate, fiche.requirements) for candidate in fiche.candidates)
    assert len(decision.findings) == asked
    judged = {(found.candidate, found.requirement) for found in decision.findings}
    assert len(judged) == len(fiche.candidates) * len(fiche.requirements)
    attachments = attachments_of(decision, document, contents)
    page = html_bytes(view(decision, spoken(fiche.language)), decision, attachments)
    looked_at(page.decode("utf-8"))
    text = check_text(decision, width=80, colour=False, encoding="ascii")
    assert text.isascii()
    assert not ACTIVE.search(text)
    return "decided"


@pytest.mark.parametrize("name", NAMES)
def test_the_samples_that_are_damaged_are_sound(name):
    """In flow style too: the writer of this test loses nothing."""
    files = dict(sample(name))
    files["fiche.yaml"] = written(plain(parse(source("f", files["fiche.yaml"])))).encode()
    assert outcome(files) == "decided"


@settings(max_examples=60)
@given(st.integers(0, 2**40))
def test_damaged_files_are_judged_or_refused(seed):
    outcome(damaged(seed))
