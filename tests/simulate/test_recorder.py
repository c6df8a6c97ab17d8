"""Phases of a simulated run: nested, raised through, begun by hand, and after a refusal."""

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


def run(program):
    from fiche.simulate.simulated import run

    return run(program)


def blocks(count):
    """So many MiB on the device."""
    import torch

    return torch.empty(count * MIB, dtype=torch.uint8, device="cuda")


def levels(simulation):
    """Name, start, peak and end of each phase, MiB."""
    return [
        (each.name, each.start_bytes // MIB, each.peak_bytes // MIB, each.end_bytes // MIB)
        for each in simulation.phases()
    ]


def test_a_phase_within_another_counts_in_both():
    def program(rec):
        with rec.phase("outer"):
            kept = blocks(1)
            with rec.phase("inner"):
                passing = blocks(2)
                del passing
            return kept, blocks(1)

    assert levels(run(program)) == [("outer", 0, 3, 2), ("inner", 1, 3, 1)]


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_phase_that_raises_counts_where_the_program_goes_on(by_hand):
    """As one that tries a large batch first: what it took until then, it took."""

    def program(rec):
        for count in (4, 2):
            phase = rec.phase("step")
            try:
                if by_hand:
                    made = once(phase, count)
                else:
                    with phase:
                        made = blocks(count)
                        if count == 4:
                            raise MemoryError
            except MemoryError:
                made = None
        return made

    def once(phase, count):
        phase.begin()
        made = blocks(count)
        if count == 4:
            error = MemoryError()
            phase.fail(error)
            raise error
        phase.end()
        return made

    simulation = run(program)
    assert levels(simulation) == [("step", 0, 4, 4), ("step", 0, 2, 2)]
    assert [each.passed for each in simulation.phases()] == ["first", "later"]
    assert any("step: it raised MemoryError" in note for note in simulation.notes)


def test_a_phase_that_is_not_ended_lasts_to_the_end():
    def program(rec):
        rec.phase("loop").begin()
        made = blocks(3)
        del made

    simulation = run(program)
    assert levels(simulation) == [("loop", 0, 3, 0)]
    assert any("loop: it was begun and not ended" in note for note in simulation.notes)


@pytest.mark.parametrize("asked", ["item", "tolist"])
def test_a_refusal_that_the_program_catches_is_a_refusal_all_the_same(asked):
    """It would go on with something that it does not do on a GPU."""
    import torch

    from fiche.simulate.refusal import NotSimulatedError

    def program(rec):
        with rec.phase("work"):
            try:
                getattr(torch.randn(1, device="cuda").long(), asked)()
            except Exception:  # noqa: BLE001 - as libraries do
                blocks(1)

    with pytest.raises(NotSimulatedError):
        run(program)
