"""A configuration over the defaults of its class: where each number comes from (A1, B5)."""

from fiche.kernel.config import Config
from fiche.kernel.figure import Unknown
from fiche.kernel.origin import Declared, Stated

CLASSES = {
    "whole": {"depth": 4, "text_config": {"model_type": "text", "hidden_size": 96}},
    "text": {"hidden_size": 64, "num_heads": 8},
}


def config(**values):
    return Config(
        file="config.json",
        sha256="0" * 64,
        values={"model_type": "whole", **values},
        classes=CLASSES,
        classes_of="library 1.0",
    )


def text_of(**values):
    found = config(**values).part("text_config")
    assert found is not None
    return found


def test_a_key_of_the_file_is_declared_and_points_to_its_place():
    found = config(depth=7).number("depth")
    assert isinstance(found.origin, Declared)
    assert (found.low, found.origin.address.path) == (7, "/depth")


def test_a_key_left_out_is_the_default_of_its_class():
    found = config().number("depth")
    assert found.low == 4
    assert found.origin == Stated(
        span=None, because="config.json leaves depth out: default of whole in library 1.0"
    )


def test_a_key_that_neither_has_is_a_question():
    assert isinstance(config().number("width"), Unknown)


def test_numbers_of_a_part_in_the_file_are_declared_under_its_place():
    found = text_of(text_config={"model_type": "text", "hidden_size": 32}).number("hidden_size")
    assert (found.low, found.origin.address.path) == (32, "/text_config/hidden_size")


def test_numbers_of_a_part_that_the_file_leaves_out_are_in_no_file():
    part = text_of()
    for name, value in (("hidden_size", 96), ("num_heads", 8)):
        assert part.number(name).low == value
        assert isinstance(part.number(name).origin, Stated)
        assert not part.told(name)
    assert part.model_type == "text"


def test_a_part_inside_a_part_that_is_left_out_is_in_no_file_either():
    classes = {"whole": {"a": {"b": {"width": 3}}}}
    whole = Config(
        file="config.json", sha256="0" * 64, values={"model_type": "whole"}, classes=classes
    )
    inner = whole.part("a").part("b")
    assert inner.number("width").low == 3
    assert isinstance(inner.number("width").origin, Stated)
