"""lighteval: scores by task and shots; means of means are marked as made by the program (A7, C13)."""

import json
from fractions import Fraction

import pytest

from fiche.importers._detect import read as detect
from fiche.importers.lighteval_results import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
RESULTS = {
    "config_general": {
        "lighteval_sha": "?",
        "max_samples": 50,
        "model_config": {"model_name": "org/model-7b", "revision": "main", "dtype": "bfloat16"},
        "model_name": "org/model-7b",
    },
    "results": {
        "gsm8k|5": {"extractive_match": 0.755, "extractive_match_stderr": 0.0118},
        "all": {"extractive_match": 0.755},
    },
    "versions": {"gsm8k|5": 0},
    "config_tasks": {
        "gsm8k|5": {"metrics": [{"metric_name": "extractive_match", "higher_is_better": True}]}
    },
}
# Printed by the program's own `make_results_table` (0.13.0).
TABLE = """|      Task       |Version|     Metric     |Value|   |Stderr|
|-----------------|------:|----------------|----:|---|-----:|
|all              |       |acc             |0.500|±  |0.0100|
|lighteval\\|gsm8k\\|5|      0|extractive_match|0.755|±  |0.0118|
"""


def test_scores_with_shots_direction_and_error():
    told = detect(json.dumps(RESULTS).encode(), DIGEST)
    assert told.kind == "lighteval_results"
    first, mean = told.results
    assert first.low == first.high == Fraction("0.755")
    assert first.marks == {
        "num_fewshot": 5,
        "higher_is_better": True,
        "task_version": "0",
        "limit": 50,
        "stderr": "0.0118",
    }
    assert mean.marks["derived"] is True
    assert {path: fact.value for path, fact in told.facts.items()} == {
        "model.name": "org/model-7b",
        "formats.compute": "bf16",
        "lighteval_sha": "?",
    }
    keys = {text.partition(":")[0] for text in told.warnings}
    assert {"limited", "stderr_missing", "revision_moves"} <= keys


def test_version_0_6_names_format_and_commit_beside_the_model():
    general = {"model_name": "org/m", "model_sha": "0e9e39f2", "model_dtype": "torch.float16"}
    told = MEMBER.read(json.dumps({**RESULTS, "config_general": general}).encode(), DIGEST)
    assert told.facts["model.revision"].value == "0e9e39f2"
    assert told.facts["formats.compute"].value == "fp16"


def test_its_table_is_told_from_the_one_of_lm_eval_by_the_names_of_the_tasks():
    told = detect(TABLE.encode(), DIGEST)
    assert told.kind == "lighteval_results"
    found = told.results[-1]
    assert (found.label, found.low) == ("lighteval|gsm8k|5", Fraction("0.75495"))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{"config_general": {}, "results": ', "F428"),
        ('{"config_general": {}, "results": []}', "F429"),
        ('{"config_general": {}, "results": {"a|0": {}}}', "F429"),
    ],
)
def test_what_is_broken_is_refused(content, code):
    with pytest.raises(Refused) as refused:
        MEMBER.read(content.encode(), DIGEST)
    assert refused.value.diagnostics[0].code == code
