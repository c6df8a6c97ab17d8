"""OpenCompass: accuracies in percent, two decimals, a dash where there is none (C2, C13)."""

from fractions import Fraction

import pytest

from fiche.importers._detect import read as detect
from fiche.importers.opencompass_summary import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
SUMMARY = """dataset,version,metric,mode,llama-3_1-8b-hf
gsm8k,1d7fe4,accuracy,gen,75.51
ARC-c,-,-,-,-
wikitext,abc,ppl,ppl,8.64
"""


def test_scores_as_wide_as_two_decimals():
    told = detect(SUMMARY.encode(), DIGEST)
    assert told.kind == "opencompass_summary"
    first, second = told.results
    assert (first.low, first.high) == (Fraction("75.505"), Fraction("75.515"))
    assert (first.label, first.metric, first.marks["scale"]) == ("gsm8k", "accuracy", "percent")
    assert first.pointer.line == 2
    assert "scale" not in second.marks
    assert told.facts["model.alias"].value == "llama-3_1-8b-hf"


def test_several_models_are_marked_and_told():
    told = MEMBER.read(SUMMARY.replace("-hf\n", "-hf,b\n").replace("75.51", "75.51,60.00")
                       .replace("-,-,-,-", "-,-,-,-,-").replace("8.64", "8.64,-").encode(), DIGEST)  # fmt: skip
    assert [(r.label, r.marks["model"]) for r in told.results] == [
        ("gsm8k", "llama-3_1-8b-hf"),
        ("gsm8k", "b"),
        ("wikitext", "llama-3_1-8b-hf"),
    ]
    assert any(text.startswith("several_models: ") for text in told.warnings)


@pytest.mark.parametrize(
    ("content", "code"),
    [(SUMMARY.replace("75.51", "75.51,1"), "F429"), (SUMMARY.splitlines()[0], "F424")],
)
def test_a_row_of_another_width_is_refused(content, code):
    with pytest.raises(Refused) as refused:
        MEMBER.read(content.encode(), DIGEST)
    assert refused.value.diagnostics[0].code == code
