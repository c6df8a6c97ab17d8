"""Files of torch.save: bytes of storages from the zip directory, the pickle never opened (law 7)."""

import struct
import zipfile
from contextlib import suppress
from io import BytesIO

import pytest
from checkpoints.build import Bytes, code, torch_zip
from hypothesis import given
from hypothesis import strategies as st

from fiche.checkpoints import tensors_of_pytorch_bin
from fiche.checkpoints._tensors import Tensor
from fiche.kernel.diagnostic import Refused

SAMPLE = torch_zip(40, 0, 1000)
END, ENTRY = SAMPLE.rindex(b"PK\x05\x06"), SAMPLE.index(b"PK\x01\x02")


def read(content):
    return tensors_of_pytorch_bin(Bytes(content, "pytorch_model.bin"))


def refused(content):
    return code(read, content)


def changed(place, form, *values, content=SAMPLE):
    raw = struct.pack(form, *values)
    return content[:place] + raw + content[place + len(raw) :]


def test_storages_are_counted_and_nothing_else():
    shard = read(SAMPLE)
    assert list(shard.tensors.values()) == [Tensor("", (), n) for n in (40, 0, 1000)]
    assert shard.file.header_bytes == len(SAMPLE) - ENTRY


def test_only_the_ends_of_the_file_are_read():
    source = Bytes(torch_zip(10_000_000))
    tensors_of_pytorch_bin(source)
    assert sum(source.asked) < 200_000


def test_what_is_no_storage_is_not_counted():
    content = torch_zip(8, names=["archive/data/x", "archive/code/data/1", "other/data/2"])
    assert list(read(content).tensors) == ["data/0"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",
        b"cposix\nsystem\n(S'touch x'\ntR.",
        torch_zip(8).replace(b"data.pkl", b"data.txt"),
        torch_zip(8, names=["other/data.pkl"]),
    ],
)
def test_what_holds_no_tensors_of_torch_is_refused(content):
    assert refused(content) == "F820"


@pytest.mark.parametrize(
    "content",
    [
        torch_zip(1000, method=zipfile.ZIP_DEFLATED),
        SAMPLE[:-1],
        SAMPLE + b"x",
        SAMPLE.replace(b"PK\x05\x06", b"PK\x05\x07"),
        SAMPLE.replace(b"PK\x01\x02", b"PK\x01\x03", 1),
        changed(END + 4, "<H", 1),  # another disk
        changed(END + 8, "<HH", 6, 6),  # more entries than there are
        changed(END + 8, "<HH", 4, 4),  # fewer
        changed(END + 12, "<I", 2**32 - 2),  # a directory longer than the file
        changed(END + 16, "<I", 0),  # a directory elsewhere
        changed(END + 16, "<I", 2**32 - 1),  # zip64 without its record
        changed(ENTRY + 8, "<H", 1),  # encrypted
        changed(ENTRY + 20, "<II", 2**31, 2**31),  # an entry longer than the file
        changed(ENTRY + 20, "<II", 2**32 - 1, 2**32 - 1),  # zip64 without its field
        changed(ENTRY + 20, "<I", 4),  # packed length differs
        changed(ENTRY + 28, "<H", 60_000),  # a name longer than the directory
        changed(ENTRY + 42, "<I", 60),  # overlaps the next entry
        SAMPLE.replace(b"archive/data/2", b"archive/data/0"),  # a name twice
    ],
)
def test_a_broken_directory_is_refused(content):
    assert refused(content) == "F819"


def test_large_archives_have_wide_lengths():
    """torch.save writes the record of large archives into small ones too."""
    held = BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, num_bytes in (("a/data.pkl", 1), ("a/data/0", 300)):
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as entry:
                entry.write(bytes(num_bytes))
    plain = held.getvalue()
    end = plain.rindex(b"PK\x05\x06")
    *_, count, length, start, _ = struct.unpack("<4s4H2IH", plain[end:])
    record = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, *[0xFFFF] * 2, *[0xFFFFFFFF] * 2, 0)
    content = plain[:end] + record + locator + tail
    assert read(content).tensors["data/0"].num_bytes == 300
    for place, form, value in ((end + 4 + 16 + 4 + 4, "<Q", 2**63), (end + 56 + 8, "<Q", 2**63)):
        assert refused(changed(place, form, value, content=content)) == "F819"


def test_lengths_of_64_bits_are_read_from_their_field():
    """A storage of 5 GB: 32 bits of ones, and the length in the extra field."""
    root = torch_zip(8)
    entry = root.rindex(b"PK\x01\x02")
    extra = struct.pack("<HHQQ", 1, 16, 5 * 10**9, 5 * 10**9)
    name = root[entry + 46 : root.rindex(b"PK\x05\x06")]
    fields = bytearray(root[entry : entry + 46])
    struct.pack_into("<II", fields, 20, 2**32 - 1, 2**32 - 1)
    struct.pack_into("<H", fields, 30, len(extra))
    first = root[root.index(b"PK\x01\x02") : entry]
    body, directory = root[: root.index(b"PK\x01\x02")], first + bytes(fields) + name + extra
    start = len(body) + 5 * 10**9 - 8
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 3, 3, len(directory), 2**32 - 1, 0)
    record = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 3, 3, len(directory), start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, start + len(directory), 1)
    behind = directory + record + locator + tail

    class Sparse(Bytes):
        def part(self, begin, count):
            zeros = min(start, begin + count) - max(begin, len(body))
            after = behind[max(0, begin - start) : max(0, begin + count - start)]
            return body[begin : begin + count] + bytes(max(0, zeros)) + after

    sparse = Sparse(b"", length=start + len(behind))
    assert tensors_of_pytorch_bin(sparse).tensors["data/0"].num_bytes == 5 * 10**9


def test_a_file_cut_anywhere_is_refused():
    assert {refused(SAMPLE[:length]) for length in range(len(SAMPLE))} == {"F819", "F820"}


@given(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_within_the_file(place, byte):
    with suppress(Refused):
        tensors = read(changed(place, "B", byte)).tensors
        assert sum(each.num_bytes for each in tensors.values()) <= len(SAMPLE)


@pytest.mark.torch
def test_a_file_of_torch_is_read_to_the_byte(tmp_path):
    import torch

    shared = torch.zeros(10, 4, dtype=torch.bfloat16)
    state = {"embed": shared, "head": shared, "view": torch.zeros(4, 4)[:2], "n": torch.zeros(3)}
    torch.save(state, tmp_path / "zip.bin")
    torch.save(state, tmp_path / "old.bin", _use_new_zipfile_serialization=False)
    found = read((tmp_path / "zip.bin").read_bytes()).tensors
    storages = {
        each.untyped_storage().data_ptr(): each.untyped_storage() for each in state.values()
    }
    assert sorted(each.num_bytes for each in found.values()) == sorted(
        each.nbytes() for each in storages.values()
    )
    assert refused((tmp_path / "old.bin").read_bytes()) == "F820"
