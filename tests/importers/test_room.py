"""Pieces of a fiche are read under the same bounds as files of the command line."""

import gzip
import hashlib

import pytest

from fiche.importers._room import Room
from fiche.kernel.diagnostic import Refused

MESSAGE = b"RuntimeError: CUDA error: out of memory\n"


def read(content, kind=""):
    return Room().read(content, hashlib.sha256(content).hexdigest(), "run.log", kind)


def test_a_kind_imports_no_other_kind():
    assert "torch_oom" in Room().kinds()
    assert len(read(MESSAGE, "torch_oom").failures) == 1


def test_short_long_and_packed_logs_say_the_same():
    long = b"INFO step\n" * 200_000 + MESSAGE
    readings = [read(content) for content in (MESSAGE, long, gzip.compress(long))]
    assert [len(r.failures) for r in readings] == [1, 1, 1]
    assert [r.failures[0].pointer.line for r in readings] == [1, 200_001, 200_001]


def test_a_pickle_that_names_a_global_is_refused_as_any_other_file_is():
    with pytest.raises(Refused):
        read(b"\x80\x04cposix\nsystem\n.")
