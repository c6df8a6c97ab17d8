"""No text of fiche's own stays English in a report in another language.

A report is made in a language in which every message stands in brackets. What is left outside the brackets must
be somebody's own words: values of the fiche's files and pieces, names, numbers, units, commands, sources.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

from fiche.cli.compile import compile_fiche
from fiche.report import parts
from fiche.report.view import view
from tests.languages.pseudo import OPEN, SHUT, pseudo
from tests.render import decisions

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FOLDERS = sorted(
    path.parent.name for path in SAMPLES.glob("*/fiche.yaml") if path.parent.name != "mistakes"
)
# Whole in every language: numbers with their marks, codes, links, and what holds no text.
_WHOLE = (parts.Amount, parts.Code, parts.Mark, parts.Reference, parts.State)
_CODES = {
    "id",
    "anchor",
    "tag",
    "kind",
    "tone",
    "code",
    "style",
    "language",
    "date",
    "author",
    "place",
}
# A message, or one that is cut where its explanation starts.
_TOLD = re.compile(f"{OPEN}[^{OPEN}{SHUT}]*(?:{SHUT}|(?={OPEN})|$)")
# Two words one after the other, as no name, no path and no unit has them.
_SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,}")
# What stands between the items of a list, and the numbers of items.
_BETWEEN = re.compile(r"[,;+·]|(?<![\w.])\d[\d.,  ]*(?:[KMGT]i?B|B)?(?![\w.])")
# A metric and its data set, by their names alone.
_METRIC = re.compile(r"\w+_\w+ \w+")
# A command line, and where a source is told: cited as they are.
_CITED = re.compile(
    r"fiche (environment|measure|run|import|simulate) |https?://|\(PyPI |#\d{5,}"
    r"|PyTorch (aten|torch|\d\.\d+ include)/"
)
# What fiche itself writes into a simulation: no words of others, though they stand in a file.
_OWN_SENTENCES = {"says", "why", "source", "notes", "algorithm", "version", "reserved_why"}


def texts(thing):
    """Every text of a report that a reader reads."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, tuple):
        for each in thing:
            yield from texts(each)
    elif not isinstance(thing, _WHOLE):
        for name in getattr(type(thing), "__fields__", ()):
            if name == "texts":  # by what decision.json says in English, which nobody reads here
                yield from texts(tuple(said for _, said in getattr(thing, name)))
            elif name not in _CODES:
                yield from texts(getattr(thing, name))


def values(thing):
    """What the files of a fiche say, without the keys under which they say it."""
    if isinstance(thing, dict) and str(thing.get("format", "")).startswith("fiche-simulation/"):
        yield from values(foreign(thing))
    elif isinstance(thing, dict):
        for each in thing.values():
            yield from values(each)
    elif isinstance(thing, list):
        for each in thing:
            yield from values(each)
    else:
        yield str(thing)


def foreign(thing):
    """A simulation without fiche's own sentences; its numbers, names and settings stay."""
    if isinstance(thing, dict):
        kept = {
            key: foreign(each) for key, each in thing.items() if key not in ("format", "effects")
        }
        kept |= {"effects": [each["name"] for each in thing.get("effects", ())]}
        return {key: each for key, each in kept.items() if not _is_sentence(key, each)}
    return [foreign(each) for each in thing] if isinstance(thing, list) else thing


def _is_sentence(key, thing):
    return key in _OWN_SENTENCES and " " in str(thing)


def said_in(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".yaml":
        return [value for each in yaml.safe_load_all(text) for value in values(each)]
    if path.suffix == ".json":
        return list(values(json.loads(text)))
    if path.suffix == ".jsonl":
        return [value for line in text.splitlines() if line for value in values(json.loads(line))]
    return [text]


def words_of(folder, decision):
    """All that people and programs wrote, and the names of keys and formats; blanks and underscores evened."""
    load = decision.fiche.workload
    names = (*load.facts, *load.figures, *(piece.kind for piece in decision.fiche.pieces))
    found = [
        path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "README.md"
    ]
    return evened(" ".join((*names, *(said for path in found for said in said_in(path)))))


def evened(text):
    return re.sub(r"[\s_]+", " ", text).casefold()


def escapes(report, own):
    """Stretches outside every message that are sentences and nobody's own words."""
    for text in texts(report):
        for stretch in _TOLD.split(text):
            whole = re.sub(r"\s+", " ", stretch).strip(" ,.;:()·–—'\"")
            if _CITED.search(whole) or evened(whole) in own:
                continue
            for part in _BETWEEN.split(whole):
                found = part.strip(" .:()–—'\"≥≤")
                if _METRIC.fullmatch(found) and all(evened(one) in own for one in found.split()):
                    continue
                if _SENTENCE.search(found) and evened(found) not in own:
                    yield found


@pytest.mark.parametrize("name", FOLDERS)
def test_no_text_of_a_sample_stays_in_english(name):
    folder = SAMPLES / name
    decision = compile_fiche(folder / "fiche.yaml").decision
    assert sorted(set(escapes(view(decision, pseudo()), words_of(folder, decision)))) == []


def plain(thing, seen):
    """Every text of a decision made by hand, each somebody's own."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, dict):
        yield from plain((*thing.keys(), *thing.values()), seen)
    elif isinstance(thing, tuple | list):
        for each in thing:
            yield from plain(each, seen)
    elif id(thing) not in seen:
        seen[id(thing)] = thing
        for name in getattr(type(thing), "__fields__", ()):
            yield from plain(getattr(thing, name), seen)


@pytest.mark.parametrize("make", ["rich", "bare", "crowded"])
def test_the_words_of_the_report_are_told_whatever_was_decided(make):
    decision = getattr(decisions, make)()
    own = evened(" ".join(plain(decision, {})))
    assert sorted(set(escapes(view(decision, pseudo()), own))) == []
