"""What a program asks of `torch.cuda` besides its counters: marks and recordings for tools that look on."""

import pytest

pytestmark = pytest.mark.torch


def run(program):
    from fiche.simulate.simulated import run

    return run(program)


def test_marks_recordings_and_a_printed_summary_end_no_program(tmp_path):
    """Scripts that look for a peak have these lines in them already."""
    path, seen = tmp_path / "snapshot.pickle", []

    def program(rec):
        import torch

        torch.cuda.memory._record_memory_history(max_entries=100_000)
        with torch.cuda.nvtx.range("step"):
            kept = torch.zeros(1024, device="cuda")
        seen.append(torch.cuda.memory_summary(abbreviated=True))
        torch.cuda.memory._dump_snapshot(str(path))
        del kept

    answers = run(program).answers
    assert "allocated_bytes.all.current: 4096" in seen[0].splitlines()
    assert not path.exists()
    told = {each["asked"]: each["told"] for each in answers}
    assert "nothing is written" in told["torch.cuda.memory._dump_snapshot"]


def test_the_memory_of_a_card_that_nobody_told_is_asked_for():
    from fiche.simulate.refusal import NotSimulatedError

    def program(rec):
        import torch

        torch.cuda.mem_get_info()

    with pytest.raises(NotSimulatedError, match=r"tell its capacity \(--capacity or --gpu\)"):
        run(program)
