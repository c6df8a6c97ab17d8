"""Bags that somebody changed, or made to harm: each is named with its code, and nothing is followed."""

import hashlib
import json
import os
import resource

import pytest
from archive.making import made

from fiche.archive.fixity import check_bag
from fiche.archive.identity import bag_path
from fiche.archive.payload_paths import decoded, unsafe
from fiche.archive.store import Store


@pytest.fixture
def kept(tmp_path):
    """An archive with one entry of two files: its root, and the folder of the bag."""
    root = tmp_path / "a"
    store = Store.made(str(root))
    entry, files = made({"run.json": b"{}", "logs/a.txt": b"a"})
    store.put(entry, files)
    return root, root / bag_path(entry.id)


def codes(root, bag, *, quick=False):
    return {
        one.code for one in check_bag(str(root), str(bag.relative_to(root)), quick=quick).findings
    }


def listed_again(bag):
    """Write the manifest of tags anew, as whoever forges a bag does."""
    names = ("bagit.txt", "bag-info.txt", "manifest-sha256.txt", "fiche-entry.json", "README.txt")
    lines = (f"{hashlib.sha256((bag / n).read_bytes()).hexdigest()}  {n}\n" for n in sorted(names))
    (bag / "tagmanifest-sha256.txt").write_text("".join(lines))


def add_to_manifest(bag, line):
    with (bag / "manifest-sha256.txt").open("a") as manifest:
        manifest.write(line)
    listed_again(bag)


def told_otherwise(bag, **changes):
    path = bag / "fiche-entry.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    listed_again(bag)


ZERO = "0" * 64


def outside(bag):
    secret = bag.parents[3] / "secret.txt"
    secret.write_text("a")
    return secret


def linked(bag):
    path = bag / "data" / "logs" / "a.txt"
    path.unlink()
    path.symlink_to(outside(bag))


def linked_folder(bag):
    elsewhere = bag.parents[3] / "logs"
    (bag / "data" / "logs").rename(elsewhere)
    (bag / "data" / "logs").symlink_to(elsewhere)


def linked_payload(bag):
    (bag / "data").rename(bag.parents[3] / "data")
    (bag / "data").symlink_to(bag.parents[3] / "data")


def linked_tag(bag):
    (bag / "README.txt").rename(bag.parents[3] / "README.txt")
    (bag / "README.txt").symlink_to(bag.parents[3] / "README.txt")


def piped(bag):
    (bag / "data" / "run.json").unlink()
    os.mkfifo(bag / "data" / "run.json")


def deep(bag):
    here = bag / "data"
    for _ in range(60):
        here /= "d"
    here.mkdir(parents=True)
    (here / "file").write_text("x")


def capitals(bag):
    (bag / "data" / "RUN.json").write_bytes(b"{}")
    add_to_manifest(bag, f"{hashlib.sha256(b'{}').hexdigest()}  data/RUN.json\n")


def other_algorithm(bag):
    (bag / "manifest-sha256.txt").rename(bag / "manifest-md5.txt")


HARM = [
    (lambda bag: (bag / "data" / "run.json").write_bytes(b"[]"), "F933"),
    (lambda bag: (bag / "README.txt").write_bytes(b""), "F933"),
    (lambda bag: (bag / "data" / "run.json").unlink(), "F939"),
    (lambda bag: (bag / "bagit.txt").unlink(), "F939"),
    (lambda bag: (bag / "fiche-entry.json").unlink(), "F939"),
    (lambda bag: (bag / "tagmanifest-sha256.txt").unlink(), "F939"),
    (lambda bag: (bag / "data" / "more.txt").write_text("x"), "F938"),
    (lambda bag: (bag / "data" / "logs" / ".hidden").write_text("x"), "F938"),
    (lambda bag: (bag / "notes.txt").write_text("x"), "F938"),
    (lambda bag: (bag / "more").mkdir(), "F938"),
    (lambda bag: (bag / "fetch.txt").write_text("http://x/ - data/x\n"), "F940"),
    (other_algorithm, "F940"),
    (lambda bag: (bag / "manifest-md5.txt").write_text(""), "F940"),
    (lambda bag: (bag / "tagmanifest-sha256.txt").write_text("no digest\n"), "F940"),
    (lambda bag: (bag / "tagmanifest-sha256.txt").write_bytes(b""), "F940"),
    (lambda bag: (bag / "tagmanifest-sha256.txt").write_bytes(b"\xff" * 3_000_000), "F940"),
    (lambda bag: add_to_manifest(bag, "what is this\n"), "F940"),
    (
        lambda bag: (bag / "bagit.txt").write_text("BagIt-Version: 0.97\n") and listed_again(bag),
        "F940",
    ),
    (lambda bag: add_to_manifest(bag, f"{ZERO}  data/../../../secret\n"), "F937"),
    (lambda bag: add_to_manifest(bag, f"{ZERO}  /etc/passwd\n"), "F937"),
    (lambda bag: add_to_manifest(bag, f"{ZERO}  ~root/x\n"), "F937"),
    (lambda bag: add_to_manifest(bag, f"{ZERO}  data\\..\\x\n"), "F937"),
    (lambda bag: add_to_manifest(bag, f"{ZERO}  C:/x\n"), "F937"),
    (lambda bag: add_to_manifest(bag, f"{ZERO}  bagit.txt\n"), "F937"),
    (lambda bag: add_to_manifest(bag, f"{ZERO}  data/\n"), "F937"),
    (linked, "F937"),
    (linked_folder, "F937"),
    (linked_payload, "F937"),
    (linked_tag, "F937"),
    (piped, "F937"),
    (deep, "F937"),
    (capitals, "F948"),
    (lambda bag: told_otherwise(bag, title="another", kind="piece"), "F942"),
    (lambda bag: told_otherwise(bag, id="0" * 8 + "-0000-5000-8000-" + "0" * 12), "F942"),
    (lambda bag: told_otherwise(bag, format="fiche-archive-entry/9"), "F931"),
    (lambda bag: told_otherwise(bag, files=[]), "F941"),
    (lambda bag: (bag / "fiche-entry.json").write_text("[" * 10**6) and listed_again(bag), "F941"),
]


@pytest.mark.parametrize(
    ("harm", "code"), HARM, ids=lambda value: value if isinstance(value, str) else ""
)
def test_harm_is_named(kept, harm, code):
    root, bag = kept
    assert codes(root, bag) == set()
    harm(bag)
    assert code in codes(root, bag)


def test_a_bag_as_it_was_written_says_what_was_read(kept):
    root, bag = kept
    checked = check_bag(str(root), str(bag.relative_to(root)))
    assert checked.findings == []
    assert checked.num_files == 8
    assert checked.num_bytes == sum(
        path.stat().st_size for path in bag.rglob("*") if path.is_file()
    )
    assert checked.looked.id == bag.name


def test_quick_reads_no_payload_and_sees_lengths(kept):
    root, bag = kept
    (bag / "data" / "run.json").write_bytes(b"[]")
    assert codes(root, bag, quick=True) == set()
    (bag / "data" / "run.json").write_bytes(b"longer")
    assert codes(root, bag, quick=True) == {"F933"}
    (bag / "data" / "logs" / "a.txt").unlink()
    assert codes(root, bag, quick=True) == {"F933", "F939"}


def test_a_renamed_bag_is_seen(kept):
    root, bag = kept
    other = (
        root / "bags" / bag.parent.name / (bag.name[:-1] + ("0" if bag.name[-1] != "0" else "1"))
    )
    bag.rename(other)
    assert codes(root, other) == {"F942"}


def test_no_link_is_opened(kept, monkeypatch):
    root, bag = kept
    linked(bag)
    opened = []
    right = os.open

    def noted(path, *arguments, **named):
        opened.append(str(path))
        return right(path, *arguments, **named)

    monkeypatch.setattr(os, "open", noted)
    assert "F937" in codes(root, bag)
    assert opened
    assert not any(path.endswith("a.txt") for path in opened)


def test_many_files_and_a_long_manifest_stay_within_bounds(kept):
    root, bag = kept
    names = [f"x{n}" for n in range(20_000)]
    for name in names:
        (bag / "data" / name).touch()
    checked = check_bag(str(root), str(bag.relative_to(root)))
    assert {one.code for one in checked.findings} == {"F938", "F933"}
    assert len(checked.findings) <= 21
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (bag / "manifest-sha256.txt").open("ab") as manifest:
        for _ in range(100):
            manifest.write(b"0" * 2**20)
    assert "F940" in codes(root, bag)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100 * 1024  # KiB, of a manifest of 100 MiB


def test_a_file_longer_than_a_step_is_read_whole(tmp_path):
    root = tmp_path / "a"
    store = Store.made(str(root))
    entry, files = made(b"ab" * (2**20 + 7))
    store.put(entry, files)
    assert codes(root, root / bag_path(entry.id)) == set()
    path = root / bag_path(entry.id) / "data" / "run.json"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert codes(root, root / bag_path(entry.id)) == {"F933"}


def test_a_folder_that_is_gone_is_told(kept):
    root, bag = kept
    assert {one.code for one in check_bag(str(root), "bags/aa/none").findings} == {"F933"}
    assert codes(root, bag) == set()


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("data/a b", "data/a b"),
        ("data/a%0Ab%0dc%25d", "data/a\nb\rc%d"),
        ("data/100%", "data/100%"),
        ("data/%2e%2e/x", "data/%2e%2e/x"),
        ("data/%250A", "data/%0A"),
    ],
)
def test_escapes_of_a_manifest(path, meant):
    assert decoded(path) == meant
    assert unsafe(meant) == ""
