"""A user's own function as a workload: how it is found, and how it is called. Nothing here needs torch."""

import hashlib
import itertools
import sys
from types import SimpleNamespace

import pytest

from fiche.measure.protocol.turns import Turn
from fiche.simulate.users import own_function

SOURCE = """
seen = []
def recorded(rec, batch=1, name="a"):
    with rec.phase("forward", batch=batch):
        seen.append((batch, name))
def quiet(recorder=None):
    seen.append(recorder)
def plain(batch=1):
    seen.append(batch)
def needy(rec, depth):
    pass
def many(rec, **options):
    seen.append(options)
async def later(rec):
    pass
class Net:
    @staticmethod
    def run(rec):
        seen.append("net")
value = 3
"""
_NUMBERS = itertools.count()


class Recorder:
    """Keeps the phases that it is asked for."""

    def __init__(self):
        self.phases = []

    def phase(self, name, **declared):
        self.phases.append((name, declared))
        return self

    def whole_loop(self, name, **declared):
        self.phases.append((name, declared))
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@pytest.fixture
def module(tmp_path):
    """A module of its own name: Python keeps those that it has imported."""
    name = f"users_module_{next(_NUMBERS)}"
    path = tmp_path / f"{name}.py"
    path.write_text(SOURCE, encoding="utf-8")
    return SimpleNamespace(name=name, path=path, folder=str(tmp_path))


def called(module, function, **options):
    rec = Recorder()
    workload = own_function(f"{module.name}:{function}", module.folder, options)
    workload.prepare(rec, "cuda:0")
    workload.turn(rec, Turn("first", 0))
    return rec, sys.modules[module.name].seen, workload


def test_a_function_that_takes_a_recorder_names_its_own_phases(module):
    rec, seen, workload = called(module, "recorded", batch=4, name="b")
    assert rec.phases == [("program", {"batch": 4}), ("forward", {"batch": 4})]
    assert seen == [(4, "b")]
    assert workload.declared == {"batch": 4}  # a dimension is a whole number; a text is none


def test_a_parameter_named_recorder_gets_one_though_it_has_a_default(module):
    rec, seen, _ = called(module, "quiet")
    assert (rec.phases, seen) == ([("program", {})], [rec])


def test_a_function_without_one_is_one_phase(module):
    rec, seen, _ = called(module, "plain", batch=3)
    assert (rec.phases, seen) == ([("loop", {"batch": 3})], [3])


def test_what_cannot_stand_as_a_dimension_is_an_option_all_the_same(module):
    """A document with such a name or count could not be read."""
    options = {"B": 2, "batch": 10**30, "depth": True, "layers": 3}
    rec, seen, _ = called(module, "many", **options)
    assert (rec.phases, seen) == ([("program", {"layers": 3})], [options])


def test_further_options_go_where_they_are_taken(module):
    assert called(module, "many", anything=[1])[1] == [{"anything": [1]}]


def test_a_name_may_be_that_of_a_file_and_lead_into_a_class(module):
    workload = own_function(f"{module.path.name}:Net.run", module.folder, {})
    workload.turn(Recorder(), Turn("first", 0))
    digest = hashlib.sha256(module.path.read_bytes()).hexdigest()
    code = {"name": f"{module.path.name}:Net.run", "digest": f"sha256:{digest}"}
    assert workload.words == {"code": code}


def test_no_folder_of_whoever_asks_is_told(module):
    workload = own_function(f"{module.path}:plain", "", {})
    assert workload.words["code"]["name"] == f"{module.path.name}:plain"


@pytest.mark.parametrize(
    ("named", "options", "said"),
    [
        ("{m}", {}, "names no function: write module:name"),
        ("{m}:none", {}, "has no none"),
        ("{m}:value", {}, "is no function, but a int"),
        ("{m}:later", {}, "only makes a coroutine or a generator"),
        ("{m}:needy", {}, "needs depth besides a recorder: say --set depth=VALUE"),
        ("{m}:plain", {"depth": 2}, "takes no depth: it takes batch"),
        ("none_such_module:f", {}, "none_such_module cannot be imported: there is no such module"),
        ("none_such.py:f", {}, "none_such.py is no file"),
        ("..m:f", {}, "'..m' names no module"),
    ],
)
def test_what_cannot_be_called_is_one_sentence(module, named, options, said):
    with pytest.raises(ValueError, match=said):
        own_function(named.format(m=module.name), module.folder, options)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import none_such_package", "needs none_such_package, which cannot be imported"),
        ("raise KeyError('x')", "cannot be imported: KeyError: 'x'"),
        ("import sys; sys.exit(0)", "cannot be imported: it ends its process"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(module, line, said):
    module.path.write_text(line, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        own_function(f"{module.name}:f", module.folder, {})


def test_a_file_with_the_name_of_a_module_that_is_there_is_not_mistaken_for_it(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "json.py").write_text("def loads():\n    pass\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"json.py has the name of another module"):
        own_function("json.py:loads", str(tmp_path), {})
