"""What ends with the last reference to it, however it came about."""

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


def levels(program):
    """What a program yields the level after, in MiB."""
    from fiche.simulate.simulated import run

    found = []

    def whole(rec):
        for _ in program():
            found.append(rec.ledger.live_bytes[0] / MIB)

    run(whole)
    return found


def test_a_storage_that_is_laid_into_a_tensor_ends_with_it():
    import torch

    def program():
        for _ in range(2):
            whole, made = torch.empty(512, 512, device="cuda"), torch.empty(0, device="cuda")
            made.set_(whole.untyped_storage(), 0, (512, 512), (512, 1))
            del whole
            yield made
            del made
            yield None

    assert levels(program) == [1, 0, 1, 0]


def test_what_another_stream_uses_ends_with_its_last_reference():
    import torch

    def program():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            made = torch.empty(512, 512, device="cuda")
        made.record_stream(torch.cuda.current_stream())
        yield made
        del made
        yield None

    assert levels(program) == [1, 0]


def test_what_is_taken_lies_on_the_stream_that_is_current():
    """The allocator keeps what is free for each stream apart: each allocation is told its stream."""
    import torch

    from fiche.simulate.simulated import run

    def program(rec):
        first, second = torch.cuda.Stream(), torch.cuda.Stream()
        taken = [torch.empty(1, device="cuda")]
        with torch.cuda.stream(first):
            taken.append(torch.empty(1, device="cuda"))
            assert torch.cuda.current_stream() is first
            with torch.cuda.stream(None):
                taken.append(torch.empty(1, device="cuda"))
            torch.cuda.Event().record(torch.cuda.current_stream())
        before = torch.cuda.current_stream()
        assert before is not first
        torch.cuda.set_stream(second)
        taken.append(torch.empty(1, device="cuda"))
        torch.cuda.set_stream(before)
        taken.append(torch.empty(1, device="cuda"))
        return taken

    assert list(run(program).events[0].streams[:5]) == [0, 1, 1, 2, 0]
