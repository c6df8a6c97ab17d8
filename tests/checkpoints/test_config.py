"""`config.json` to a Config, and the defaults of classes by line."""

import hashlib
import json
from fractions import Fraction

from checkpoints.build import code

from fiche.assets import package_data
from fiche.checkpoints import class_defaults, read_config
from fiche.checkpoints.config import CONFIG_LIMIT

LINES = package_data("families/class_defaults.json").read_text("utf-8").splitlines()


def test_a_configuration_keeps_its_digest_its_name_and_its_numbers():
    content = b'{"model_type": "t", "rms_norm_eps": 1e-05, "hidden_size": 4096}'
    config = read_config(content, "model/config.json", {"t": {"head_dim": 128}}, "lib 1.0")
    assert (config.file, config.classes_of) == ("model/config.json", "lib 1.0")
    assert config.sha256 == hashlib.sha256(content).hexdigest()
    assert config.value("rms_norm_eps") == Fraction(1, 100_000)
    assert config.whole("hidden_size") == 4096
    assert config.number("head_dim").low == 128
    assert config.number("hidden_size").origin.address.path == "/hidden_size"


def test_endless_configurations_are_refused():
    assert code(read_config, b" " * (CONFIG_LIMIT + 1), "config.json", {}) == "F801"
    assert code(read_config, b"[]", "config.json", {}) == "F806"


def test_each_class_has_the_defaults_of_its_line():
    classes, source = class_defaults()
    assert source == json.loads(LINES[0])["source"]
    lines = [json.loads(line, parse_float=Fraction) for line in LINES[1:]]
    told = {line["model_type"]: line["defaults"] for line in lines}
    assert list(classes) == list(told)
    assert len(classes) == len(told)
    assert {model_type: classes[model_type] for model_type in classes} == told


def test_a_default_is_exact_and_a_class_that_is_none_has_none():
    classes, _ = class_defaults()
    assert classes["qwen3"]["head_dim"] == 128
    for absent in ("", "qwe", 'qwen3", "x', "source", "qwen3\n"):
        assert classes.get(absent) is None
