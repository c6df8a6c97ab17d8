"""A job as its process reads it: known keys, each of its kind, or one sentence."""

import json

import pytest

from fiche.measure.job import Job, job_of

WHOLE = {
    "workload": "dense",
    "output": "m.json",
    "device": "cuda:0",
    "options": {"batch": 2},
    "words": {"model": {"name": "m"}},
    "ordering": "whole_loop",
    "warmups": 3,
    "repeats": 5,
    "empty_cache": "between_repeats",
    "seed": 7,
    "case": "limit",
    "gpu": "nvidia-l4-24g",
    "machine": "node-7",
    "run": "m-1",
    "order": "phased then whole loop",
    "plan": {"kind": "vary", "index": 0},
    "environment": {"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"},
}


def test_a_job_is_read_back_as_it_was_written():
    job = job_of(json.dumps(WHOLE))
    assert job.json() == WHOLE
    assert job_of(json.dumps(job.json())) == job


def test_what_is_left_out_has_its_usual_value():
    job = job_of('{"workload": "dense", "output": "m.json"}')
    assert job == Job(workload="dense", output="m.json")
    assert (job.device, job.ordering, job.empty_cache, job.warmups) == (None, "phased", "never", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"workload": 1}, "workload of the job is not a text"),
        ({"workload": ""}, "the job has no workload"),
        ({"output": ""}, "the job has no output"),
        ({"options": []}, "options of the job is not an object"),
        ({"warmups": True}, "warmups of the job is not a whole number from 0"),
        ({"repeats": -1}, "repeats of the job is not a whole number from 0"),
        ({"seed": 1.5}, "seed of the job is not a whole number from 0"),
        ({"ordering": "phasd"}, "ordering is 'phasd', not one of phased, whole_loop"),
        ({"empty_cache": "always"}, "empty_cache is 'always', not one of never, between_repeats"),
        ({"plan": "vary"}, "plan of the job is not an object"),
        ({"simulate": True}, "the job has an unknown key 'simulate'"),
    ],
)
def test_what_is_wrong_is_one_sentence(change, said):
    with pytest.raises(ValueError, match=r".+") as caught:
        job_of(json.dumps(WHOLE | change))
    assert str(caught.value) == said


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '"dense"', "[" * 100_000])
def test_what_is_no_job_is_one_sentence(text):
    with pytest.raises(ValueError, match="the job is not") as caught:
        job_of(text)
    assert "\n" not in str(caught.value)
