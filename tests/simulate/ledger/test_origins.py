"""The line that an allocation is put down to is one of the program, not of what runs it."""

import contextlib
import functools

import pytest

pytestmark = pytest.mark.torch


def test_a_decorated_function_is_its_own_place():
    """A context manager as decorator puts a frame of contextlib between the caller and the function."""
    from fiche.simulate.simulated import run

    @contextlib.contextmanager
    def quiet():
        yield

    def program(rec):
        import torch

        make = functools.partial(torch.empty, 1024, device="cuda")
        with rec.phase("step"):
            quiet()(make)()

    (phase,) = run(program).phases()
    assert phase.origin.file == __file__


def test_what_is_installed_is_a_program_wherever_python_lies(monkeypatch):
    from fiche.simulate.ledger import origins

    monkeypatch.setattr(origins, "_LIBRARY", "/python/lib")
    assert origins._is_foreign("/python/lib/contextlib.py")
    assert not origins._is_foreign("/python/lib/site-packages/transformers/trainer.py")
    assert origins._is_foreign("<string>")
