"""A folder against its SHA256SUMS: what is as listed, what is not, and names that lead elsewhere."""

import hashlib
import subprocess

import pytest

from fiche.render.sums import sums_bytes
from fiche.verify.sums import is_listed, sums_of

FILES = {"b.pdf": b"%PDF", "a.json": b"{}", "tables/c.csv": b"x\n"}


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "SHA256SUMS").write_bytes(sums_bytes(FILES))
    return tmp_path


def add(folder, line):
    with (folder / "SHA256SUMS").open("ab") as stream:
        stream.write(line)


def test_a_folder_as_it_was_written(folder):
    found = sums_of(folder)
    assert is_listed(folder)
    assert found.holds
    assert found.same == ("a.json", "b.pdf", "tables/c.csv")
    assert (found.changed, found.missing, found.refused, found.unlisted) == ((), (), (), ())


def test_coreutils_reads_it_and_writes_it(folder):
    names = sorted(FILES)
    made = subprocess.run(["sha256sum", *names], cwd=folder, check=True, capture_output=True)
    assert made.stdout == (folder / "SHA256SUMS").read_bytes()
    made = subprocess.run(["sha256sum", "-b", *names], cwd=folder, check=True, capture_output=True)
    (folder / "SHA256SUMS").write_bytes(made.stdout)
    assert sums_of(folder).same == tuple(names)


def test_each_difference_is_named(folder):
    (folder / "a.json").write_bytes(b"[]")
    (folder / "tables" / "c.csv").unlink()
    (folder / "tables" / "mine.txt").write_bytes(b"mine")
    found = sums_of(folder)
    assert not found.holds
    assert (found.changed, found.missing) == (("a.json",), ("tables/c.csv",))
    assert found.unlisted == ("tables/mine.txt",)


def test_a_file_that_nobody_lists_does_no_harm(folder):
    (folder / "signed.pdf").write_bytes(b"%PDF")
    assert sums_of(folder).holds


def test_a_pdf_that_was_signed_since_is_told_apart_from_a_changed_one(folder):
    (folder / "b.pdf").write_bytes(b"%PDFsigned")
    found = sums_of(folder, lambda content: content.removesuffix(b"signed"))
    assert (found.signed, found.changed, found.holds) == (("b.pdf",), (), True)
    (folder / "b.pdf").write_bytes(b"%PDF!signed")
    assert sums_of(folder, lambda content: content.removesuffix(b"signed")).changed == ("b.pdf",)


@pytest.mark.parametrize(
    "name",
    [
        "../out",
        "/etc/passwd",
        "tables/../../out",
        "./a.json",
        "tables//c.csv",
        "..",
        "a\\b",
        "\x1b[2J",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_and_never_read(folder, name):
    secret = hashlib.sha256(b"{}").hexdigest()
    add(folder, f"{secret}  {name}\n".encode())
    found = sums_of(folder)
    assert not found.holds
    assert [line[66:] for line in found.refused] == [name]


def test_a_link_is_refused(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x").write_bytes(b"x")
    (folder / "link").symlink_to(outside)
    (folder / "b.pdf").unlink()
    (folder / "b.pdf").symlink_to(outside / "x")
    add(folder, f"{hashlib.sha256(b'x').hexdigest()}  link/x\n".encode())
    found = sums_of(folder)
    assert [line[66:] for line in found.refused] == ["b.pdf", "link/x"]
    assert found.unlisted == ("b.pdf", "link")


@pytest.mark.parametrize(
    "line", [b"\n", b"no digest  a\n", b"\xff\xfe\n", b"abc  a.json\n", b"last"]
)
def test_a_line_that_is_none_is_refused(folder, line):
    add(folder, line)
    assert len(sums_of(folder).refused) == 1


def test_a_name_twice_is_refused(folder):
    add(folder, (folder / "SHA256SUMS").read_bytes()[:-1].split(b"\n")[0] + b"\n")
    assert [line[66:] for line in sums_of(folder).refused] == ["a.json"]


def test_an_empty_list_vouches_for_nothing(folder):
    (folder / "SHA256SUMS").write_bytes(b"")
    assert not sums_of(folder).holds


def test_a_list_without_end_is_not_read(folder):
    (folder / "SHA256SUMS").write_bytes(b"0" * (5 * 2**20))
    found = sums_of(folder)
    assert len(found.refused) == 1
    assert len(found.refused[0]) < 100
