"""What `fiche import` prints of a memory snapshot."""

from importers.snapshots import MIB, MODEL, Machine, block, busy, dumped, read, segment, snapshot

from fiche.cli.snapshot_text import snapshot_lines


def text(value):
    return " ".join("".join(snapshot_lines(read(dumped(value)))).split())


def test_both_peaks_are_printed_with_instants_of_their_own():
    machine = Machine()
    machine.grow(1 << 32, 10 * MIB)
    machine.alloc(1 << 32, 8 * MIB)
    machine.free(1 << 32)
    machine.grow(1 << 33, 2 * MIB)
    machine.entries[-1]["time_us"] += 2_000_000
    machine.alloc(1 << 33, 2 * MIB, (MODEL,))
    machine.entries[-1]["time_us"] += 2_000_000
    said = text(snapshot(machine.held(), [machine.entries]))
    assert "peak reserved 12.00 MiB at 2.000 s; requested then 0.00 MiB" in said
    assert "peak requested 8.00 MiB at 0.00001 s; reserved then 10.00 MiB" in said
    assert "peak allocated 8.00 MiB to 12.00 MiB" in said
    assert "8.00 MiB 1 job/model.py:41 forward" in said


def test_pools_failures_and_labels_have_a_line():
    machine = busy(3)
    machine.note("oom", 7 * MIB, 512 * MIB)
    pool = segment(1 << 50, 4 * MIB, [block(1 << 50, MIB, MIB)], segment_pool_id=(0, 3))
    words = [{"name": "step 1", "stage": "START"}, {"name": "step 1", "stage": "END"}]
    said = text(snapshot([*machine.held(), pool], [machine.entries], external_annotations=words))
    assert "Private pool (0, 3) of device 0: 4.00 MiB reserved in 1 segment(s)" in said
    assert "asked the driver for 0.50 GiB, 7.00 MiB free on the device" in said
    assert "Labels of the program: step 1" in said


def test_a_long_snapshot_takes_some_lines_only():
    machine = busy(60)
    for number, entry in enumerate(machine.entries):
        entry["frames"] = [{**MODEL, "line": number}]
        entry["user_metadata"] = f"step {number}"
    printed = "".join(snapshot_lines(read(dumped(snapshot(machine.held(), [machine.entries])))))
    assert printed.count("\n") < 20
    assert "elsewhere" in printed


def test_without_a_history_the_levels_stand_alone():
    said = text([segment(1 << 32, 2 * MIB, [block(1 << 32, 512, 4)])])
    assert "no history recorded" in said
    assert "peak" not in said
