"""A job as the process of a simulation is told of it, and what is refused."""

import json

import pytest

from fiche.simulate.job import FUNCTION, Job, job_of


def test_a_job_is_read_back_as_it_was_written():
    job = Job(
        workload="generation",
        options={"sequences": 2},
        capacity_bytes=24 * 2**30,
        placement={"devices": 4, "sharding": "fsdp"},
        notes=("weights are not read",),
        events=True,
    )
    assert job_of(json.dumps(job.json())) == job


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("{", "the job is not JSON"),
        ("[]", "the job is not a JSON object"),
        ("{}", "the job has no workload"),
        ('{"workload": "function"}', "the job names no function"),
        ('{"workload": "dense", "depth": 1}', "the job has an unknown key 'depth'"),
        ('{"workload": "dense", "options": []}', "options of the job is not an object"),
        ('{"workload": "dense", "events": 1}', "events of the job is not true or false"),
        ('{"workload": "dense", "notes": [1]}', "notes of the job is not a list of texts"),
        ('{"workload": "dense", "capacity_bytes": -1}', "capacity_bytes of the job is not a whole"),
        (
            '{"workload": "dense", "capacity_bytes": true}',
            "capacity_bytes of the job is not a whole",
        ),
        ('{"workload": "dense", "gpu": null}', "gpu of the job is not a text"),
    ],
)
def test_what_is_no_job_is_one_sentence(told, said):
    with pytest.raises(ValueError, match=said):
        job_of(told)


def test_a_function_is_a_workload_of_its_own():
    told = {"workload": FUNCTION, "function": "train:loop", "folder": "/f"}
    assert job_of(json.dumps(told)).function == "train:loop"
