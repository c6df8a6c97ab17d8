"""Cases x variants x repeats: one variable at a time, in an order that can be had again (C7, D6)."""

import pytest

from fiche.kernel.campaign import Campaign, CampaignCase, Cluster, Variant
from fiche.kernel.diagnostic import Refused
from fiche.measure.campaign import plan
from fiche.measure.campaign.plan import command, jobs

WIDE = Variant(id="wide", variable="width", value="128")
WIDER = Variant(id="wider", variable="width", value="256")
LONG = Variant(id="long", variable="context", value="512")


def campaign(**told):
    return Campaign(**{"id": "c", "sha256": "0", "output": "c", "options": {"width": "64"}, **told})


def names(found):
    return [job.id.rpartition("-")[0] for job in found]


def test_each_case_has_its_baseline_and_one_change_at_a_time():
    cases = (CampaignCase(id="a"), CampaignCase(id="b", options={"batch": "2"}))
    found = jobs(campaign(cases=cases, variants=(WIDE, LONG)))
    assert names(found) == ["a.base", "a.wide", "a.long", "b.base", "b.wide", "b.long"]
    assert all(len(job.changed) <= 1 for job in found)


def test_variables_are_crossed_only_where_that_is_said():
    found = jobs(campaign(variants=(WIDE, WIDER, LONG), cross=True))
    assert names(found) == ["base", "long", "wide", "wide+long", "wider", "wider+long"]
    assert found[3].changed == (("width", "128"), ("context", "512"))
    assert found[3].words[:5] == ("measure", "--width", "128", "--context", "512")


def test_without_the_baseline_only_variants_run():
    assert names(jobs(campaign(variants=(WIDE,), baseline=False))) == ["wide"]
    crossed = jobs(campaign(variants=(WIDE, LONG), baseline=False, cross=True))
    assert names(crossed) == ["wide+long"]


def test_a_repeat_is_a_process_of_its_own():
    found = jobs(campaign(repeat_process=3))
    assert names(found) == ["base.r1", "base.r2", "base.r3"]
    assert len({job.digest for job in found}) == 3


def test_a_case_sets_and_a_variant_changes_what_it_set():
    case = CampaignCase(id="big", options={"width": "96", "context": "9"})
    found = jobs(campaign(cases=(case,), variants=(WIDE,)))
    assert found[0].words == (
        "measure",
        "--width",
        "96",
        "--context",
        "9",
        "--output",
        "{folder}/m.json",
    )
    assert found[1].words[1:5] == ("--width", "128", "--context", "9")


def test_cases_of_a_fiche_are_measured_from_it():
    case = CampaignCase(id="limit", fiche="limit")
    (job,) = jobs(campaign(fiche="chat.yaml", fiche_sha256="ab", cases=(case,), options={}))
    assert job.words == (
        "measure",
        "--from",
        "chat.yaml",
        "--case",
        "limit",
        "--output",
        "{folder}/m.json",
    )


def test_a_command_of_ones_own_is_filled_word_by_word():
    own = campaign(
        command=("python", "t.py", "--b={batch}", "{folder}/x"),
        options={"batch": "2; rm -rf /"},
        command_options={"snapshot": True, "dim": ("batch=2",), "machine": "n1"},
    )
    (job,) = jobs(own)
    typed = command(job, "/out/try-1", "c.base.t1")
    assert typed[len(plan.RUN) :] == [
        "--snapshot",
        "--dim",
        "batch=2",
        "--machine",
        "n1",
        "--run",
        "c.base.t1",
        "--output",
        "/out/try-1/run",
        "--",
        "python",
        "t.py",
        "--b=2; rm -rf /",
        "/out/try-1/x",
    ]


def test_a_shuffled_order_is_the_same_with_its_seed_and_holds_every_job():
    listed = jobs(campaign(repeat_process=20))
    shuffled = jobs(campaign(repeat_process=20, seed=7))
    assert names(shuffled) == names(jobs(campaign(repeat_process=20, seed=7)))
    assert names(shuffled) != names(jobs(campaign(repeat_process=20, seed=8)))
    assert sorted(names(shuffled)) == sorted(names(listed)) != names(shuffled)
    assert [job.index for job in shuffled] == list(range(20))


def test_the_record_is_told_its_place_in_the_campaign():
    *_, job = jobs(campaign(variants=(WIDE,)))
    assert job.plan() == {
        "kind": "campaign",
        "index": 1,
        "of": 2,
        "variable": "width",
        "value": "128",
        "digest": job.digest,
    }


def test_the_digest_is_of_what_runs_and_where_not_of_limits_or_order():
    (base,) = jobs(campaign())
    same = [campaign(minutes=5), campaign(parallel=9), campaign(seed=1), campaign(title="other")]
    assert {jobs(each)[0].digest for each in same} == {base.digest}
    others = [
        campaign(options={"width": "65"}),
        campaign(gpus=2),
        campaign(executor="slurm"),
        campaign(executor="slurm", cluster=Cluster(partition="a")),
        campaign(executor="slurm", cluster=Cluster(parameters={"constraint": "h100"})),
        campaign(fiche_sha256="1"),
    ]
    assert len({jobs(each)[0].digest for each in others} | {base.digest}) == 7


def test_two_names_for_one_job_are_refused():
    cases = (CampaignCase(id="a"), CampaignCase(id="b", options={"width": "64"}))
    with pytest.raises(Refused, match=r"F565 a\.base and b\.base are the same job"):
        jobs(campaign(cases=cases))


def test_more_jobs_than_anybody_reads_are_refused():
    many = tuple(
        Variant(id=f"{n}.{v}", variable=f"v{n}", value=str(v)) for n in range(5) for v in range(6)
    )
    with pytest.raises(Refused, match="F568 16807 jobs are asked for"):
        jobs(campaign(variants=many, cross=True))
