"""A step's outcome follows from what it found, and from nothing else."""

from fiche.verify.step import FAILED, OK, UNPROVEN, Point, Sheet, within, worst


def sheet(*, fault=False, left=False, said=False):
    made = Sheet("digests", "Digests")
    if said:
        made.say("17 files")
    if left:
        made.unproven("Pango is missing")
    if fault:
        made.fault("F905", "offers.yaml has other bytes")
    return made.step("manifest.json")


def test_a_fault_fails_whatever_else_was_found():
    made = sheet(fault=True, left=True, said=True)
    assert made.outcome == FAILED
    assert made.points == (
        Point("offers.yaml has other bytes", "F905"),
        Point("Pango is missing"),
        Point("17 files"),
    )
    assert made.faults == made.points[:1]


def test_what_is_left_is_no_fault_and_not_ok():
    assert sheet(left=True, said=True).outcome == UNPROVEN
    assert sheet(said=True).outcome == OK
    assert sheet().faults == ()


def test_together_the_worst_counts():
    assert worst([]) == OK
    assert worst([sheet(), sheet(left=True)]) == UNPROVEN
    assert worst([sheet(fault=True), sheet(left=True), sheet()]) == FAILED


def test_a_step_of_one_file_names_it():
    assert within("report.html", sheet()).looked_at == "report.html: manifest.json"
