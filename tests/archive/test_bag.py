"""Bags as the library of BagIt's authors and coreutils judge them."""

import subprocess

import bagit
import pytest
from archive.making import made

from fiche.archive.bag import tag_files
from fiche.archive.store import Store
from fiche.kernel.record import replace

HOSTILE = (
    "plain.json",
    "évidence/mesure n°1.json",
    "a%0Ab.txt",
    "line\nbreak.txt",
    "carriage\rreturn.txt",
    "../../escape.txt",
    "/absolute.txt",
    "C:\\windows\\system.txt",
    "con.txt",
    "Run.json",
    "run.json",
    "folder",
    "folder/below.txt",
    "x" * 400 + ".json",
    "trailing. ",
    "-rf",
    "~user",
    "fiche:catalog/nvidia.yaml",
    "\u202egnp.exe",
)


@pytest.fixture
def bag(tmp_path):
    """The folder of the bag that these files make."""

    def put(contents, **changes):
        store = Store.made(str(tmp_path / "a"))
        entry, files = made(contents, **changes)
        assert store.put(entry, files)
        return entry, tmp_path / "a" / "bags" / entry.id[:2] / entry.id

    return put


def test_bagit_finds_a_bag_of_hostile_names_valid(bag):
    entry, folder = bag({name: name.encode() for name in HOSTILE})
    checked = bagit.Bag(str(folder))
    assert checked.is_valid()
    assert checked.version_info == (1, 0)
    assert checked.algorithms == ["sha256"]
    assert checked.info["External-Identifier"] == entry.id
    assert checked.info["Bagging-Date"] == "2026-12-01"
    assert checked.info["Payload-Oxum"] == f"{sum(len(n.encode()) for n in HOSTILE)}.{len(HOSTILE)}"
    assert {one.name or one.path for one in entry.files} == set(HOSTILE)


def test_a_changed_byte_is_seen_by_others_too(bag):
    _, folder = bag({"run.json": b"{}", "a/b.txt": b"b"})
    (folder / "data" / "a" / "b.txt").write_bytes(b"c")
    assert not bagit.Bag(str(folder)).is_valid()


def test_sha256sum_reads_the_manifests(bag):
    _, folder = bag({"run.json": b"{}", "a/b c.txt": b"b"})
    command = ["sha256sum", "--check", "--quiet", "--strict"]
    manifests = ["manifest-sha256.txt", "tagmanifest-sha256.txt"]
    subprocess.run([*command, *manifests], cwd=folder, check=True, capture_output=True)


def test_a_title_cannot_add_a_line_to_the_information(bag):
    _, folder = bag(b"{}", title="one\r\nExternal-Identifier: other\n  more")
    info = bagit.Bag(str(folder)).info
    assert info["External-Description"] == "one External-Identifier: other more"


def test_the_readme_names_the_main_file_in_ascii(bag):
    entry, folder = bag({"évidence.json": b"{}"})
    text = (folder / "README.txt").read_bytes().decode("ascii")
    assert f"data/{entry.main}" in text
    assert entry.id in text


def test_the_same_entry_makes_the_same_bytes():
    entry, _ = made(b"{}", labels={"b": "2", "a": "1"})
    assert tag_files(entry) == tag_files(replace(entry, labels={"a": "1", "b": "2"}))
