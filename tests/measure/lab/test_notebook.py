"""The notebook: self-contained, delivered without outputs, calculation and then measurement (F4)."""

import ast
import json

import nbformat
import pytest
from measure.lab.carried import simulation
from nbclient import NotebookClient

from fiche.importers.fiche_record import read
from fiche.measure.lab.archive import NOTEBOOK_ROOTS, SCRIPT, lab_parts
from fiche.measure.lab.cells import PART_LINE, checkpoints_text, script_of
from fiche.measure.lab.notebook import notebook_text

TEXT = notebook_text(lab_parts(NOTEBOOK_ROOTS), "9.9")
NOTEBOOK = json.loads(TEXT)
CODE = ["".join(c["source"]) for c in NOTEBOOK["cells"] if c["cell_type"] == "code"]
WORDS = "\n".join("".join(c["source"]) for c in NOTEBOOK["cells"] if c["cell_type"] == "markdown")
PARTS = [text for text in CODE if PART_LINE.match(text)]


def executed(folder, more=""):
    """Run a copy from top to bottom; `more` stands at the end of its last part."""
    copy = nbformat.reads(TEXT, as_version=4)
    last = [cell for cell in copy.cells if PART_LINE.match(cell.source)][-1]
    last.source += more
    client = NotebookClient(
        copy, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return copy


def told(notebook, call):
    """What the first cell that holds `call` and is no part wrote."""
    found = [c for c in notebook.cells if c.cell_type == "code" and call in c.source]
    (cell, *_) = [cell for cell in found if not PART_LINE.match(cell.source)]
    assert {output.output_type for output in cell.outputs} <= {"stream"}
    return "".join(output.text for output in cell.outputs)


# --- As it is delivered -----------------------------------------------------------------------


def test_it_is_a_notebook_of_format_4_5():
    nbformat.validate(nbformat.reads(TEXT, as_version=4))
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in NOTEBOOK["cells"]]
    assert len(set(ids)) == len(ids)


def test_the_scripts_own_cells_are_folded_and_the_others_are_not():
    for cell in NOTEBOOK["cells"]:
        folded = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
        part = cell["cell_type"] == "code" and PART_LINE.match("".join(cell["source"]))
        assert folded == bool(part)


def test_it_is_delivered_without_outputs():
    for cell in NOTEBOOK["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_it_needs_no_other_file_and_downloads_nothing():
    """F4: no import of fiche, no installation, no address."""
    for text in CODE:
        imported = [
            n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)
        ]
        for node in imported:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
            assert not any(name.split(".")[0] in ("fiche", "urllib", "http") for name in names)
        assert not text.lstrip().startswith(("%", "!"))
        assert "pip install" not in text or PART_LINE.match(text)
    assert "http" not in WORDS


def test_calculation_comes_before_environment_and_that_before_measurement():
    calls = ["print(estimate_text(", 'lab("environment"', '"measure", "--device"']
    places = [next(n for n, text in enumerate(CODE) if text.find(call) >= 0) for call in calls]
    assert places == sorted(places)
    assert places[0] == 2, "the calculation needs two cells: imports, and itself"


def test_its_parts_are_the_script(tmp_path):
    """One source: the cells hold what the script holds, and a line with their number."""
    script = script_of(PARTS)
    for part in lab_parts(NOTEBOOK_ROOTS).parts:
        assert part.text.strip() in script
    ast.parse(script, feature_version=(3, 9))
    assert script_of(PARTS[:-1]) is None
    assert script_of([]) is None
    changed = PARTS[1].replace("By arithmetic alone", "By my own arithmetic")
    assert "By my own arithmetic" in script_of([*PARTS, changed]), "the last of each part counts"


@pytest.mark.parametrize(
    "words",
    [
        "1 GB is 10^9 bytes, 1 GiB is 2^30 bytes",
        "**assumption**",
        "Adding the two counts memory twice",
        "Two peaks are not one instant",
        "was there at neither instant",
        "Cold and warm",
        "not the start of a\n  server",
        "nothing about another model",
        "no attention and no KV cache",
        "fiche import m.json",
        "Fiche lab 9.9",
    ],
)
def test_it_explains_what_numbers_mean(words):
    """B1, B2, C3, C4, C7."""
    assert words in WORDS


# --- Executed ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_a_gpu_it_calculates_and_tells_the_refusal(tmp_path, monkeypatch):
    """F4, C10: a sentence and no traceback; not a file is written."""
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
        monkeypatch.setenv(name, "")  # where there is a GPU
    run = executed(tmp_path)
    assert "= 17.04 GiB" in told(run, "print(estimate_text(")
    environment = told(run, 'lab("environment"')
    assert "Missing: " in environment
    assert "ended with code" not in environment
    refusal = told(run, '"measure", "--device"')
    assert refusal.endswith("(It ended with code 2.)\n")
    assert "othing" in refusal
    assert refusal.count("\n") == 2
    assert told(run, "checkpoints_text(OUTPUT)") == "m.json is not there: nothing was measured.\n\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_on_a_simulated_device_it_runs_to_its_end(tmp_path):
    """F4, C7, C8: both series, each in a process that ran the cells' own text."""
    run = executed(tmp_path, simulation())
    measured = told(run, '"measure", "--device"')
    assert "ended with code" not in measured
    assert "warm_forward" in measured
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.json", "m.whole.json"]
    records = [
        json.loads((tmp_path / name).read_text("utf-8")) for name in ("m.json", "m.whole.json")
    ]
    pids = {record["series"]["process"]["pid"] for record in records}
    assert len(pids) == 2
    for name in ("m.json", "m.whole.json"):
        assert read((tmp_path / name).read_bytes(), "0" * 64).kind == "fiche_record"
    checkpoint = told(run, "checkpoints_text(OUTPUT)")
    assert "difference at this checkpoint" in checkpoint
    again = executed(tmp_path, simulation())
    assert "m.json exists, and no measurement is overwritten" in told(
        again, '"measure", "--device"'
    )


def test_a_difference_is_that_of_one_checkpoint(tmp_path):
    """C4, C2: only where both were read at the end of one phase."""
    path = tmp_path / "m.json"
    phases = [
        {"name": "a", "devices": [{"device": "cuda:0", "peak": {"allocated_bytes": 8}}]},
        {
            "name": "b",
            "devices": [
                {"device": "cuda:0", "end": {"allocated_bytes": 6000, "reserved_bytes": 12000}}
            ],
        },
    ]
    path.write_text(json.dumps({"phases": phases}), encoding="utf-8")
    lines = checkpoints_text(str(path)).splitlines()
    assert lines[1].endswith("a, cuda:0: not read")
    assert lines[2].endswith(
        "allocated 6 000, reserved 12 000, difference at this checkpoint 6 000"
    )
    assert SCRIPT not in lines[0]
