"""Reports of the samples, each made once, and what verifying says of one that was changed."""

import hashlib
from functools import cache
from pathlib import Path

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files
from fiche.cli.verifying import Workshop
from fiche.kernel.diagnostic import Refused
from fiche.render.json import decision_bytes
from fiche.verify.signature import Trust, signature_step
from fiche.verify.step import FAILED, worst
from fiche.verify.verified import looked_at

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = sorted(p.parent.name for p in SAMPLES.glob("*/fiche.yaml") if p.parent.name != "mistakes")


class Kept(Workshop):
    """Remembers what it wrote: a report that is verified forty times is made once."""

    def __init__(self):
        self.made, self.kept = {}, {}

    def compiled(self, fiche, folder, brought, review):
        key = (fiche, review, hashlib.sha256(repr(sorted(folder.files.items())).encode()).digest())
        if key not in self.made:
            self.made[key] = super().compiled(fiche, folder, brought, review)
        return self.made[key]

    def written(self, made, forms, **asked):
        digest = hashlib.sha256(decision_bytes(made.decision)).digest()
        key = (digest, forms, *sorted(asked.items()))
        if key not in self.kept:
            self.kept[key] = super().written(made, forms, **asked)
        return self.kept[key]


MAKER = Kept()


@cache
def compiled(name, review=None):
    path = SAMPLES / name / "fiche.yaml"
    return compile_fiche(path, SAMPLES / name / review if review else None)


@cache
def report(name, form, review=None, **asked):
    """The bytes of a sample's report."""
    made = compiled(name, review)
    return files(made, Asked(formats=(form,), **asked))[f"report.{form}"]


def looked(content, maker=MAKER):
    return looked_at(content, maker, lambda c: signature_step(c, Trust()))


def steps(content, maker=MAKER):
    """Every step by its key."""
    return {step.key: step for step in looked(content, maker).steps}


def faults(content, maker=MAKER):
    """What does not hold: texts with their codes, by the step that found them."""
    try:
        found = steps(content, maker)
    except Refused as refused:
        return {"refused": [f"{d.code} {d.message}" for d in refused.diagnostics]}
    told = {key: [f"{p.code} {p.text}" for p in step.faults] for key, step in found.items()}
    assert (worst(found.values()) == FAILED) == any(told.values())
    return {key: texts for key, texts in told.items() if texts}


def refusal(content):
    """The code by which a file is refused."""
    try:
        looked(content)
    except Refused as refused:
        return refused.diagnostics[0].code
    return ""
