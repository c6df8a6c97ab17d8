"""`fiche new`: a skeleton that is judged as it is, and F5's empty table."""

import csv
import re


def test_the_skeleton_is_a_valid_fiche(fiche, tmp_path):
    """A first fiche must be writable in ten minutes: what is absent is open, never an error."""
    assert fiche("new", tmp_path / "chat").code == 0
    ended = fiche("check", tmp_path / "chat" / "fiche.yaml", "--json")
    assert (ended.code, ended.err) == (0, "")
    statuses = {each["id"]: each["status"] for each in ended.json()["candidates"]}
    assert statuses == {"rtx-4090": "to_confirm", "rtx-6000-ada": "to_confirm"}


def test_the_skeleton_leads_an_editor_to_the_schema(fiche, tmp_path):
    fiche("new", tmp_path / "chat")
    fiche("schema", "--output", tmp_path / "chat" / "schemas")
    text = (tmp_path / "chat" / "fiche.yaml").read_text(encoding="utf-8")
    named = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", text.splitlines()[0])[1]
    assert (tmp_path / "chat" / named).is_file()


def test_every_commented_line_is_valid_too(fiche, tmp_path):
    """Taking the comment sign from any suggestion leaves a fiche without an error of form."""
    path = tmp_path / "fiche.yaml"
    fiche("new", path, "--date", "2026-11-29")
    lines = path.read_text(encoding="utf-8").splitlines()
    body = [re.sub(r"^(\s*)# (?=[\w-]+:|\s*- \{)", r"\1", line) for line in lines[7:]]
    text = "\n".join(line for line in body if "file: evidence" not in line and line != "pieces:")
    text = re.sub(r"^pieces:.*\n", "", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    ended = fiche("check", path, "--json")
    assert (ended.code, ended.err) == (0, ""), text


def test_a_file_or_a_folder_may_be_named(fiche, tmp_path):
    assert fiche("new", tmp_path / "chat.yaml").out == f"{tmp_path / 'chat.yaml'}\n"
    ended = fiche("new", tmp_path / "chat", "--json")
    assert ended.json()["files"] == [str(tmp_path / "chat" / "fiche.yaml")]


def test_nothing_is_written_over(fiche, tmp_path):
    path = tmp_path / "fiche.yaml"
    path.write_text("mine", encoding="utf-8")
    table = tmp_path / "table.csv"
    ended = fiche("new", path, "--comparison-table", table)
    assert ended.code == 2
    assert "F610" in ended.err
    assert path.read_text(encoding="utf-8") == "mine"
    assert not table.exists()
    assert fiche("new", path, "--force").code == 0
    assert path.read_text(encoding="utf-8") != "mine"


def test_the_date_is_an_argument_or_todays(fiche, tmp_path):
    fiche("new", tmp_path / "a.yaml", "--date", "2026-11-29")
    assert "\ndate: 2026-11-29 " in (tmp_path / "a.yaml").read_text(encoding="utf-8")
    fiche("new", tmp_path / "b.yaml")
    assert re.search(r"\ndate: 20\d\d-\d\d-\d\d ", (tmp_path / "b.yaml").read_text("utf-8"))


def test_a_date_with_two_readings_is_refused(fiche, tmp_path):
    ended = fiche("new", tmp_path / "a.yaml", "--date", "03/11/2026")
    assert ended.code == 2
    assert "F207" in ended.err
    assert not (tmp_path / "a.yaml").exists()


def test_the_comparison_table_is_empty_and_keeps_counters_apart(fiche, tmp_path):
    """F5, C3: allocated and reserved, peaks and levels, each in a column of its own."""
    path = tmp_path / "table.csv"
    assert fiche("new", "--comparison-table", path).code == 0
    (header, *rows) = list(csv.reader(path.open(encoding="utf-8")))
    assert rows == []
    for column in (
        "candidate",
        "gpu",
        "case",
        "phase",
        "executed_prompt_tokens",
        "allocated_peak_bytes",
        "allocated_current_bytes",
        "reserved_peak_bytes",
        "reserved_current_bytes",
        "outcome",
        "output_check",
        "duration_s",
        "piece",
    ):
        assert header.count(column) == 1


def test_nothing_asked_is_refused(fiche):
    ended = fiche("new")
    assert (ended.code, "F702 nothing to write" in ended.err) == (2, True)
