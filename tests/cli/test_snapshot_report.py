"""A fiche that cites a snapshot: its window is drawn in the report, and its figures admit nothing."""

import json
import shutil
from pathlib import Path

from importers.snapshots import busy, dumped, snapshot

SERVING = Path(__file__).parents[2] / "samples" / "serving"


def cited(folder, content):
    shutil.copytree(SERVING, folder)
    (folder / "window.pickle").write_bytes(content)
    path = folder / "fiche.yaml"
    text = path.read_text(encoding="utf-8")
    piece = "pieces:\n  - {id: window, file: window.pickle}\n"
    path.write_text(text.replace("pieces:\n", piece, 1), encoding="utf-8")
    return path


def test_the_window_of_a_cited_snapshot_is_drawn(fiche, tmp_path):
    machine = busy(12)
    content = dumped(snapshot(machine.held(), [machine.entries]))
    path = cited(tmp_path / "serving", content)
    ended = fiche("report", path, "-o", tmp_path / "out", "--formats", "html,json")
    assert ended.code == 0, ended.err
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<figure class=picture id=window-window-0>" in page
    assert page.count("peak reserved: ") == 2  # in the picture, and in its words
    decision = json.loads((tmp_path / "out" / "decision.json").read_text(encoding="utf-8"))
    (piece,) = [one for one in decision["pieces"] if one["id"] == "window"]
    assert piece["kind"] == "torch_snapshot"
    assert len(piece["further"]["timeline"][0]["us"]) <= 600


def test_a_snapshot_changes_no_verdict(fiche, tmp_path):
    machine = busy(12)
    content = dumped(snapshot(machine.held(), [machine.entries]))
    paths = (SERVING / "fiche.yaml", cited(tmp_path / "serving", content))
    found = [fiche("check", path, "--json").json() for path in paths]
    assert [c["status"] for c in found[0]["candidates"]] == [
        c["status"] for c in found[1]["candidates"]
    ]
