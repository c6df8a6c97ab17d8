"""What `fiche import` says of a measurement record in a terminal."""

import pytest
from measure.simulated import simulated

import fiche as package


@pytest.mark.parametrize(
    ("ran", "said", "unsaid"),
    [
        ({}, "not told; asked for prompt_tokens 512", "executed prompt_tokens"),
        ({"prompt_tokens": 500}, "prompt_tokens 500", "not told; asked for"),
    ],
)
def test_what_was_asked_for_is_never_told_as_executed(fiche, tmp_path, ran, said, unsaid):
    """A3, C11: a failure keeps the dimensions asked, and they stand there as just that."""
    path = tmp_path / "m.json"
    with package.recorder(path, device=simulated()) as rec:
        phase = rec.phase("prefill", prompt_tokens=512).begin()
        phase.executed(**ran)
        phase.fail(RuntimeError("the program ended"))
    out = " ".join(fiche("import", path).out.split())
    assert said in out
    assert unsaid not in out
