"""What a program reads off the counters of the simulated allocator."""

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


def run(program):
    from fiche.simulate.simulated import run

    return run(program)


def test_the_four_counters_are_the_allocators():
    """21.25 MiB lie in a segment of 22 MiB whose rest is too little to be split off."""
    seen = {}

    def program(rec):
        import torch

        x = torch.empty(85 * MIB // 4, dtype=torch.uint8, device="cuda")
        seen["held"] = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
        del x
        seen["free"] = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
        seen["peaks"] = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
        torch.cuda.reset_peak_memory_stats()
        seen["reset"] = torch.cuda.max_memory_allocated("cuda:0"), torch.cuda.max_memory_reserved(0)
        torch.cuda.empty_cache()
        seen["emptied"] = torch.cuda.memory_stats()["reserved_bytes.all.current"]

    simulation = run(program)
    assert seen == {
        "held": (22 * MIB, 22 * MIB),
        "free": (0, 22 * MIB),
        "peaks": (22 * MIB, 22 * MIB),
        "reset": (0, 22 * MIB),
        "emptied": 0,
    }
    assert simulation.peak_bytes() == 22 * MIB


def test_cuda_without_a_number_is_the_current_device():
    from fiche.simulate.simulated import run

    seen = []

    def program(rec):
        import torch

        with torch.cuda.device(1):
            seen.append((torch.cuda.current_device(), str(torch.empty(3, device="cuda").device)))
        seen.append(str(torch.empty(3, device="cuda").device))
        torch.cuda.set_device("cuda:1")
        seen.append(str(torch.empty(3).cuda().device))

    run(program, devices=2)
    run(lambda rec: seen.append(__import__("torch").cuda.current_device()), devices=2)
    assert seen == [(1, "cuda:1"), "cuda:0", "cuda:1", 0]


def test_streams_are_numbered_anew_in_each_run():
    def program(rec):
        import torch

        with torch.cuda.stream(torch.cuda.Stream()):
            torch.empty(3, device="cuda")

    first, second = (list(run(program).events[0].streams) for _ in range(2))
    assert first == second == [1, 0]


def test_the_counters_follow_the_settings_of_the_allocator():
    """Expandable segments are mapped in pages of 20 MiB; the usual one here is 22 MiB."""
    from fiche.simulate.simulated import run

    seen = []

    def program(rec):
        import torch

        made = torch.empty(85 * MIB // 4, dtype=torch.uint8, device="cuda")
        seen.append(torch.cuda.memory_reserved())
        return made

    run(program, allocator="expandable_segments:True")
    assert seen == [40 * MIB]


def test_properties_tell_what_is_known_of_the_card():
    from fiche.simulate.refusal import NotSimulatedError

    seen = []

    def program(rec):
        import torch

        found = torch.cuda.get_device_properties(0)
        seen.append((found.major, found.minor, found.multi_processor_count))
        return found.total_memory

    with pytest.raises(NotSimulatedError, match="total_memory"):
        run(program)
    assert seen == [(8, 0, 108)]
