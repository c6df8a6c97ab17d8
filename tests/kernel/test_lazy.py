"""Patterns wait for their first use, also those of a package that is imported unhurriedly."""

import re
import subprocess
import sys

import pytest

from fiche.kernel.lazy import Later, lazy, unhurried


def test_a_pattern_is_compiled_when_it_is_used():
    waiting = lazy("(")
    with pytest.raises(re.error):
        waiting.search("a")
    assert lazy("a+").fullmatch("aa")[0] == "aa"


def test_only_what_is_compiled_meanwhile_waits():
    with unhurried():
        meanwhile = re.compile("a", re.IGNORECASE)
    assert type(meanwhile) is Later
    assert meanwhile.match("A")
    assert type(re.compile("a")) is re.Pattern


def test_what_is_compiled_at_once_is_so_again_after_a_failure():
    with pytest.raises(ImportError), unhurried():
        raise ImportError
    assert type(re.compile("a")) is re.Pattern


def test_yaml_imported_so_reads_and_writes_with_either_parser():
    """With PyYAML's Python parser too, which searches with its own patterns."""
    code = (
        "from fiche.load.tree import _Builder, parse; from fiche.load.source import source\n"
        "parse(source('f', b'a: 1'))\n"
        "import yaml\n"
        "told = 'a: [1, 2.5, 2026-11-29, no, ~]'\n"
        "assert yaml.load(told, yaml.SafeLoader) == yaml.load(told, yaml.CSafeLoader)\n"
        "print(yaml.safe_dump(yaml.safe_load(told)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "a:\n- 1\n- 2.5\n- 2026-11-29\n- false\n- null\n\n"
