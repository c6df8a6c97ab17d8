"""Names of the room are imported when they are first used."""

import subprocess
import sys

import pytest

import fiche.checkpoints


def test_every_name_has_its_home():
    found = [getattr(fiche.checkpoints, name) for name in fiche.checkpoints.__all__]
    assert [each.__name__ for each in found] == fiche.checkpoints.__all__
    assert sorted(fiche.checkpoints._HOMES) == fiche.checkpoints.__all__
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = fiche.checkpoints.absent


def test_a_configuration_needs_no_reader_of_weights():
    code = (
        "import sys; from fiche.checkpoints import read_config, class_defaults; print(*sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(ended.stdout.split())
    assert "fiche.checkpoints.config" in loaded
    assert not loaded & {
        "fiche.checkpoints.gguf",
        "fiche.checkpoints.safetensors",
        "fiche.checkpoints.saved",
        "jsonschema_rs",
    }
