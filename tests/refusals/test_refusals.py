"""Each code is shown by a sample that triggers it, at the very lines that say so (law 4).

A sample is a fiche, a policy, a catalog or an offer file; `# refused: F203` stands on each offending
line, of the sample or of a file that it names, and nothing else may be refused.
"""

import re
from pathlib import Path

import pytest
from loading import Importers

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Refused
from fiche.load.catalog import catalogs
from fiche.load.fault import Faults
from fiche.load.fiche import load_bytes, load_fiche
from fiche.load.folder import YAML_LIMIT, DiskFolder
from fiche.load.node import Scalar
from fiche.load.policy import policy

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CODES = ROOT / "src" / "fiche" / "codes"
SAMPLES = sorted(HERE.glob("F*.yaml"))
MARK = re.compile(rb"# refused: (F[0-9 F]+)")
# Too long to lie in a repository: made by the tests below.
GENERATED = {"F111", "F319"}


def marks(path):
    """The (file, line, code) triples that a sample and the files it names announce."""
    content = path.read_bytes()
    named = {HERE / name.decode() for name in re.findall(rb"files/[\w-]+\.yaml", content)}
    return {
        (one.relative_to(HERE).as_posix(), number, code.decode())
        for one in {path, *named}
        for number, line in enumerate(one.read_bytes().split(b"\n"), start=1)
        for found in MARK.findall(line)
        for code in found.split()
    }


def load(path):
    content = path.read_bytes()
    if content.startswith(b"policy:"):
        policy(path.name, content)
    elif content.startswith((b"catalog:", b"offers:")):
        faults = Faults()
        name = Scalar(Span(file="fiche.yaml", line=1, column=1, text=path.name), plain=True)
        catalogs([name], DiskFolder(HERE), faults)
        faults.stop()
    else:
        load_fiche(path, Importers(()))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_is_refused_at_its_marked_lines_and_nowhere_else(path):
    with pytest.raises(Refused) as caught:
        load(path)
    found = {(d.address.file, d.address.line, d.code) for d in caught.value.diagnostics}
    assert found == marks(path)
    assert path.stem.split("-")[0] in {code for _, _, code in found}
    assert all(d.message for d in caught.value.diagnostics)


def in_source():
    """Codes by their string constants; docstrings name them without quotes."""
    return {
        code
        for path in (ROOT / "src" / "fiche").rglob("*.py")
        for code in re.findall(r"[\"'](F[0-9]{3})[\"']", path.read_text(encoding="utf-8"))
    }


def test_each_code_is_documented_and_each_document_has_its_code():
    documented = {path.stem for path in CODES.glob("*.md")}
    assert documented == in_source()
    for path in CODES.glob("*.md"):
        title, blank, body = path.read_text(encoding="utf-8").split("\n", 2)
        assert re.fullmatch(rf"# {path.stem} \S.+[^.]", title), path
        assert blank == ""
        assert f" {path.stem} " in body or path.stem in body, path


def test_each_code_of_a_yaml_text_has_a_sample():
    shown = {path.stem.split("-")[0] for path in SAMPLES} | GENERATED
    wanted = {code for code in in_source() if re.match(r"F[123]|F50|F45", code)}
    assert shown == wanted


def test_each_other_code_is_shown_by_a_test():
    tests = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "tests").rglob("*.py")
        if path != Path(__file__)
    )
    others = {code for code in in_source() if not re.match(r"F[123]|F50|F45", code)}
    assert {code for code in others if code not in tests} == set()


def refused(name, content, folder=HERE):
    with pytest.raises(Refused) as caught:
        load_bytes(name, content, DiskFolder(folder), Importers(()))
    return [(d.code, d.address.line) for d in caught.value.diagnostics]


def test_f111_too_many_values():
    assert refused("many.yaml", b"fiche: 1\nx:\n" + b"  - 1\n" * 100_000) == [("F111", 99_998)]


def test_f319_files_that_are_too_long(tmp_path):
    (tmp_path / "long.yaml").write_bytes(b"#" * (YAML_LIMIT + 1))
    text = b"fiche: 1\ntitle: t\ndate: 2026-11-29\nworkload: {}\npolicy: long.yaml\n"
    text += b"candidates: [{id: a, gpu: nvidia-l4-24g, cards: 1}]\n"
    assert refused("fiche.yaml", text, tmp_path) == [("F319", 5)]
    with pytest.raises(Refused) as caught:
        load_fiche(tmp_path / "long.yaml", Importers(()))
    assert [(d.code, d.address) for d in caught.value.diagnostics] == [("F319", None)]
