"""The archive around the bags: lines, leftovers, what supersedes what, days that are past."""

import json
import os
import time

import pytest
from archive.making import made

from fiche.archive import checking
from fiche.archive.around import line_findings, repaired
from fiche.archive.checking import check_archive, check_entries
from fiche.archive.identity import bag_path
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused

TODAY = "2026-12-01"


@pytest.fixture
def store(tmp_path):
    """An archive of five entries."""
    found = Store.made(str(tmp_path / "a"))
    for n in range(5):
        found.put(*made(f"{n}".encode()))
    return found


def told(store, *, quick=False):
    found = check_archive(store, TODAY, quick=quick)
    return sorted((one.code, one.place) for one in found.findings)


def id_of(n):
    return made(f"{n}".encode())[0].id


def place_of(n):
    return bag_path(id_of(n))


def test_all_is_well(store):
    found = check_archive(store, TODAY, quick=False)
    assert (found.num_bags, found.num_files, found.findings, found.notes) == (5, 35, (), ())


def test_several_processes_find_the_same(store, monkeypatch):
    (store.root / place_of(2) / "data" / "run.json").write_bytes(b"x")
    (store.root / place_of(3) / "README.txt").unlink()
    alone = told(store)
    progress = []
    monkeypatch.setattr(checking, "_ALONE", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    found = check_archive(store, TODAY, quick=False, progress=lambda *at: progress.append(at))
    assert sorted((one.code, one.place) for one in found.findings) == alone
    assert [code for code, _ in alone] == ["F933", "F939"]
    assert progress[-1] == (5, 5)


def test_a_process_that_ends_early_is_no_clean_bill(store, monkeypatch):
    monkeypatch.setattr(checking, "_ALONE", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(checking.sys, "executable", "/bin/false")
    with pytest.raises(OSError, match="ended early"):
        check_archive(store, TODAY, quick=False)


def test_lines_and_bags_that_do_not_agree(store):
    lines = store.root / "additions.jsonl"
    kept = lines.read_bytes().splitlines(keepends=True)
    gone = {**json.loads(kept[0]), "id": id_of(99)}
    lines.write_bytes(b"".join([json.dumps(gone).encode() + b"\n", b'{"torn', b"\n", *kept[2:]]))
    first, second = (json.loads(line)["path"] for line in kept[:2])
    assert told(store) == sorted(
        [("F943", place_of(99)), ("F943", first), ("F943", second), ("F943", "additions.jsonl")]
    )


def test_repairing_keeps_every_offset(store):
    lines = store.root / "additions.jsonl"
    found, offset = store.additions(0)
    content = lines.read_bytes()
    other = json.dumps({"id": id_of(99), "path": "x", "sha256": ""}).encode()
    lines.write_bytes(content + b'{"torn\n' + other + b"\n" + content.splitlines()[0] + b"\n")
    store.put(*made(b"new"))
    (store.root / "additions.jsonl").write_bytes(
        b"\n".join(lines.read_bytes().split(b"\n")[:-2]) + b"\n"
    )
    was = lines.stat().st_size
    mended, _ = repaired(store)
    assert mended == 4  # torn, gone, told twice; and the one that had no line
    assert told(store) == []
    assert lines.read_bytes()[:offset] == content
    assert lines.stat().st_size > was
    later, _ = store.additions(offset)
    assert [one.id for one in later] == [made(b"new")[0].id]
    assert {one.id for one in store.additions(0)[0]} == {one.id for one in found} | {later[0].id}
    assert repaired(store) == (0, 0)


def test_leftovers_by_their_age(store):
    incoming = store.root / "incoming"
    for name, age in (("young", 60), ("old", 5 * 3600), ("older", 3 * 86400)):
        (incoming / name).mkdir()
        (incoming / name / "part").touch()
        os.utime(incoming / name, (time.time() - age,) * 2)
    found = check_archive(store, TODAY, quick=True)
    assert [one.place for one in found.findings] == ["incoming/old", "incoming/older"]
    assert "5 hours ago" in found.findings[0].message
    assert "3 days ago" in found.findings[1].message
    assert [one.place for one in found.notes] == ["incoming/young"]
    assert repaired(store) == (0, 1)
    assert sorted(path.name for path in incoming.iterdir()) == ["old", "young"]


def test_a_link_among_the_leftovers_goes_and_not_what_it_leads_to(store, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "text").touch()
    link = store.root / "incoming" / "link"
    link.symlink_to(tmp_path / "thesis")
    os.utime(link, (0, 0), follow_symlinks=False)
    assert repaired(store) == (0, 1)
    assert (tmp_path / "thesis" / "text").exists()
    assert not link.is_symlink()


def test_what_supersedes_what(tmp_path):
    store = Store.made(str(tmp_path / "a"))
    for n, earlier in {0: [], 1: [0], 2: [0], 3: [99], 4: [5], 5: [4], 6: [1]}.items():
        store.put(*made(f"{n}".encode(), supersedes=tuple(map(id_of, earlier))))
    assert told(store) == sorted(
        [
            ("F945", place_of(0)),  # by 1 and by 2
            ("F945", place_of(3)),  # what is not there
            ("F945", place_of(4)),  # in a circle
            ("F945", place_of(5)),
        ]
    )


def test_one_that_supersedes_both_settles_it(tmp_path):
    store = Store.made(str(tmp_path / "a"))
    for n, earlier in {0: [], 1: [0], 2: [0], 3: [1, 2]}.items():
        store.put(*made(f"{n}".encode(), supersedes=tuple(map(id_of, earlier))))
    assert told(store) == []


def test_days_that_are_past_are_said_and_nothing_else(tmp_path):
    store = Store.made(str(tmp_path / "a"))
    for n, day in enumerate(("2026-11-30", "2026-12-01", "2036-01-01")):
        store.put(*made(f"{n}".encode(), keep_until=day))
    found = check_archive(store, TODAY, quick=False)
    assert found.findings == ()
    assert [(one.code, one.place) for one in found.notes] == [("F946", place_of(0))]
    assert len(list(store.ids())) == 3


def test_what_is_no_bag_is_told(store):
    (store.root / "bags" / "notes.txt").touch()
    (store.root / "bags" / "zz").mkdir()
    folder = store.root / "bags" / id_of(0)[:2]
    (folder / "readme").touch()
    other = next(f"{n:02x}" for n in range(256) if f"{n:02x}" != id_of(0)[:2])
    (store.root / "bags" / other).mkdir(exist_ok=True)
    (store.root / place_of(0)).rename(store.root / "bags" / other / id_of(0))
    codes = [code for code, place in told(store) if place != place_of(0)]
    assert sorted(codes) == ["F942", "F949", "F949", "F949"]


def test_linked_folders_of_bags_are_not_followed(store, tmp_path):
    folder = store.root / "bags" / id_of(0)[:2]
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert ("F949", f"bags/{folder.name}") in told(store)
    (store.root / "bags").rename(tmp_path / "bags")
    (store.root / "bags").symlink_to(tmp_path / "bags")
    assert ("F937", "bags") in told(store)


def test_a_folder_that_nobody_may_look_into_is_told_and_the_rest_is_checked(store, monkeypatch):
    real = os.scandir
    closed = str(store.root / "bags" / id_of(0)[:2])

    def scandir(path):
        if str(path) == closed:
            raise PermissionError(13, "Permission denied", closed)
        return real(path)

    exists = type(store.root).exists

    def hidden(path):
        if str(path).startswith(f"{closed}/"):
            raise PermissionError(13, "Permission denied", str(path))
        return exists(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(type(store.root), "exists", hidden)
    found = check_archive(store, TODAY, quick=False)
    assert [(one.code, one.place) for one in found.findings] == [("F933", f"bags/{id_of(0)[:2]}")]
    assert found.num_bags >= 3


def test_some_entries_alone(store):
    (store.root / place_of(1) / "data" / "run.json").write_bytes(b"x")
    assert check_entries(store, [id_of(0)], TODAY, quick=False).findings == ()
    found = check_entries(store, [id_of(0), id_of(1)], TODAY, quick=False)
    assert [one.code for one in found.findings] == ["F933"]
    assert found.num_bags == 2
    with pytest.raises(Refused, match="F932"):
        check_entries(store, ["../../etc"], TODAY, quick=False)


def test_of_very_many_findings_the_others_are_counted(store, monkeypatch):
    monkeypatch.setattr(checking, "_MOST_TOLD", 2)
    for n in range(5):
        (store.root / place_of(n) / "data" / "run.json").write_bytes(b"x")
    found = check_archive(store, TODAY, quick=False)
    assert (len(found.findings), found.untold) == (2, 3)


def test_a_bag_that_lands_while_all_are_checked_keeps_its_line(tmp_path, monkeypatch):
    store = Store.made(str(tmp_path / "archive"))
    store.put(*made(b"first"))
    ids = store.ids

    def listed_then_another_adds():
        found = list(ids())
        Store.opened(store.where).put(*made(b"second"))
        return iter(found)

    monkeypatch.setattr(store, "ids", listed_then_another_adds)
    before = set(ids())
    assert repaired(store) == (0, 0)
    assert list(line_findings(store, before)) == []
    assert len(store.additions(0)[0]) == 2
