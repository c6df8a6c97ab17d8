"""What is read of a model's folder, and how a library's refusal is told. Nothing here needs torch."""

import os

import pytest

from fiche.measure.workloads._configured import configured
from fiche.measure.workloads._library import first_line


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(ValueError, match=r"config\.json is no file"):
        configured(str(tmp_path))


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (
            "Validation error for 'a':\n    expected int\nmore",
            "Validation error for 'a': expected int",
        ),
        ("one\ntwo", "one"),
        ("announces:", "announces:"),
        ("  \n", "ValueError"),
    ],
)
def test_a_line_that_announces_the_next_is_told_with_it(says, told):
    assert first_line(ValueError(says)) == told
