"""A folder that another version wrote: its files are those that its report carries, and no more is claimed."""

import pytest
from verify.sheets import compiled
from verify.test_other_version import OLD

from fiche.cli.compile import Compiled
from fiche.cli.reports import Asked, files
from fiche.cli.verifying import Asked as Verifying
from fiche.cli.verifying import verified
from fiche.kernel.record import replace
from fiche.verify.step import FAILED, UNPROVEN


@pytest.fixture
def folder(tmp_path):
    """A report without a PDF, by an older version's name."""
    made = compiled("guide")
    older = Compiled(decision=replace(made.decision, tool_version=OLD), contents=made.contents)
    for name, content in files(older, Asked(formats=("html", "json", "md", "crate"))).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path


def texts(step):
    return [point.text for point in step.points]


def test_what_was_not_changed_fails_nothing_and_what_is_left_is_named(folder):
    found = verified(Verifying(path=folder))
    assert [p.text for step in found.steps for p in step.faults] == []
    assert found.folder.outcome == UNPROVEN
    assert any(
        text.startswith("report.md, ro-crate-metadata.json: not made again")
        for text in texts(found.folder)
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "attachments/fiche.yaml",
            "attachments/fiche.yaml is not the file that the report carries",
        ),
        ("attachments/more.txt", "attachments/more.txt is not the file that the report carries"),
        ("decision.json", "decision.json is not the one that the report carries"),
    ],
)
def test_a_file_beside_the_report_that_is_another_is_a_fault(folder, name, words):
    path = folder / name
    path.write_bytes((path.read_bytes() if path.exists() else b"") + b"\n")
    found = verified(Verifying(path=folder))
    assert found.folder.outcome == FAILED
    assert words in texts(found.folder)


def test_a_file_that_lies_there_no_more_is_a_fault(folder):
    (folder / "attachments" / "fiche.yaml").unlink()
    assert "attachments/fiche.yaml is missing" in texts(verified(Verifying(path=folder)).folder)
