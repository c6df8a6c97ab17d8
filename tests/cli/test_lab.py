"""`fiche lab export`: a new folder, and its archive, for a machine that has no fiche (F9)."""

import zipfile

import pytest

from fiche.measure.protocol.tool import VERSION

NAMES = {
    "README.md", "fiche_lab.py", "fiche_lab.ipynb", "comparison.csv", "LICENSE", "VERSION", "SHA256SUMS",
}  # fmt: skip


def written(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_lab_is_written_and_listed(fiche, tmp_path):
    ended = fiche("lab", "export", tmp_path / "lab")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.split() == [
        str(tmp_path / "lab" / name) for name in sorted(NAMES, key=ended.out.find)
    ]
    assert set(written(tmp_path / "lab")) == NAMES


def test_two_exports_are_the_same_bytes(fiche, tmp_path):
    told = fiche("lab", "export", tmp_path / "a", "--zip", "--json").json()
    assert told["files"][-1] == str(tmp_path / "a.zip")
    fiche("lab", "export", tmp_path / "b", "--zip")
    assert written(tmp_path / "a") == written(tmp_path / "b")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    assert written(tmp_path / "unpacked" / f"fiche-lab-{VERSION}") == written(tmp_path / "a")


def test_the_table_is_the_one_of_fiche_new(fiche, tmp_path):
    """F5."""
    fiche("lab", "export", tmp_path / "lab")
    fiche("new", "--comparison-table", tmp_path / "table.csv")
    assert (tmp_path / "lab" / "comparison.csv").read_bytes() == (
        tmp_path / "table.csv"
    ).read_bytes()


@pytest.mark.parametrize("taken", ["lab", "lab.zip"])
@pytest.mark.parametrize("as_folder", [True, False])
def test_a_lab_is_never_overwritten(fiche, tmp_path, taken, as_folder):
    """C10: its folder may hold somebody's measurements."""
    there = tmp_path / taken
    (there.mkdir if as_folder else there.touch)()
    ended = fiche("lab", "export", tmp_path / "lab", "--zip")
    assert (ended.code, ended.out) == (2, "")
    assert f"F570 {there} exists already" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == [taken]


def test_a_link_that_leads_nowhere_is_something_too(fiche, tmp_path):
    (tmp_path / "lab").symlink_to(tmp_path / "nowhere")
    assert "F570" in fiche("lab", "export", tmp_path / "lab").err


@pytest.mark.parametrize("name", ["", ".", "..", "/"])
def test_a_folder_without_a_name_is_refused(fiche, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    ended = fiche("lab", "export", name, "--zip")
    assert (ended.code, ended.err[:5]) == (2, "F570 ")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_leaves_nothing(fiche, tmp_path, monkeypatch):
    """Law 7: all of it or nothing, the archive included."""
    from fiche.cli import exported
    from fiche.kernel.diagnostic import Diagnostic, Refused

    def full(path, content, *, force):
        raise Refused([Diagnostic(code="F611", message=f"{path}: full", address=None, hint="")])

    monkeypatch.setattr(exported, "write_file", full)
    ended = fiche("lab", "export", tmp_path / "lab", "--zip")
    assert (ended.code, "F611" in ended.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_no_folder_is_refused(fiche, tmp_path):
    (tmp_path / "file").touch()
    ended = fiche("lab", "export", tmp_path / "file" / "lab")
    assert (ended.code, "F611" in ended.err) == (2, True)
