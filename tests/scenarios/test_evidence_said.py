"""What the report says about evidence that misleads: each case with the sentence that it prints (C3-C6, C11).

The messages have the shapes that programs print; their figures are made up and agree with each other.
"""

import pytest
from scenarios.story import asked, files, judged, written
from scenarios.test_print import compiled, page

CAPACITY = "GPU 0 has a total capacity of {total} of which {free} is free. "
END = (
    "Of the allocated memory {allocated} is allocated by PyTorch, and {unused} is reserved by PyTorch but "
    "unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF.\n"
)
WSL = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    + CAPACITY.format(total="8.00 GiB", free="0 bytes")
    + "Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use. "
    + END.format(allocated="13.98 GiB", unused="1.02 GiB")
)
CONTAINER = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.13 GiB. "
    + CAPACITY.format(total="23.65 GiB", free="512.00 MiB")
    + "Process 2271883 has 23.14 GiB memory in use. "
    + END.format(allocated="21.90 GiB", unused="801.00 MiB")
)
FRAGMENTED = (
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB. "
    + CAPACITY.format(total="191.98 GiB", free="138.00 GiB")
    + END.format(allocated="52.11 GiB", unused="1.20 GiB")
)


def report(tmp_path, text, name="oom.log"):
    fiche = asked()
    fiche["pieces"].append({"id": "failure", "file": name})
    made = compiled(written(tmp_path, fiche, {**files(), name: text.encode()}))
    return page(made), judged(tmp_path, fiche, {**files(), name: text.encode()})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (WSL, "17179869184.00 GiB is the driver's word for 'not available', no size"),
        (
            WSL,
            "more is allocated than the device holds: part of it lies in system memory",
        ),
        (
            CONTAINER,
            "processes are listed but not which one failed; in a container the failing process can be among "
            "them",
        ),
        (
            FRAGMENTED,
            "more was free than was asked for: a limit, fragmentation or a fault, not a lack of memory",
        ),
    ],
)
def test_the_report_says_what_misleads(tmp_path, text, sentence):
    said, _ = report(tmp_path, text)
    assert sentence in said


@pytest.mark.parametrize("text", [WSL, CONTAINER, FRAGMENTED])
def test_no_such_message_moves_a_verdict(tmp_path, text):
    """C11, DESIGN 4: a failure of unknown phase and load is no need, and excludes nothing."""
    _, with_it = report(tmp_path, text)
    without = judged(tmp_path, asked(), files())
    assert [f["verdict"] for f in with_it["findings"]] == [
        f["verdict"] for f in without["findings"]
    ]


def test_a_value_that_is_not_available_is_never_a_figure(tmp_path):
    """C2: 2**64 bytes is how drivers say that they do not know."""
    said, decision = report(tmp_path, WSL)
    (piece,) = (p for p in decision["pieces"] if p["id"] == "failure")
    (failure,) = piece["failures"]
    assert failure["quantities"]["process_in_use"]["unavailable"] is True
    assert "18 446 744" not in said


def test_one_failure_that_two_pieces_tell_is_counted_once(tmp_path):
    """The message alone, and the same message in the server's log, are one event."""
    fiche = asked()
    fiche["pieces"] += [{"id": "pasted", "file": "a.log"}, {"id": "server-log", "file": "b.log"}]
    contents = {**files(), "a.log": WSL.encode(), "b.log": f"INFO started\n{WSL}".encode()}
    said = page(compiled(written(tmp_path, fiche, contents)))
    assert said.count("also in server-log") == 1


def test_pieces_of_one_run_show_what_they_state_differently(tmp_path):
    """A5, D3: which of them is wrong nobody can tell from here; both are shown."""
    fiche = asked()
    fiche["pieces"][0] |= {"run": "evening", "scope": {"driver": "550.54"}}
    fiche["pieces"].append(
        {
            "id": "failure",
            "file": "oom.log",
            "run": "evening",
            "scope": {"driver": "560.35"},
        }
    )
    said = page(compiled(written(tmp_path, fiche, {**files(), "oom.log": WSL.encode()})))
    assert "driver 550.54 ( run ), 560.35 ( failure )" in said
