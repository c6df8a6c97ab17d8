"""Campaign files: read with their positions, every error of a stage at once (law 4)."""

import re
from pathlib import Path

import pytest
from loading import text_of

from fiche.cli.campaign_run import _options_of
from fiche.kernel.campaign import Cluster
from fiche.kernel.diagnostic import Refused
from fiche.load.campaign import load_campaign
from fiche.measure.campaign.plan import jobs

HEAD = "campaign: 1\nid: widths\n"
DENSE = HEAD + "measure: {width: 64, dtype: float32}\n"
OWN = HEAD + 'run: {command: [python, t.py, "{batch}"], variables: {batch: 1}}\n'
FICHE = text_of(
    "workload:\n  cases:\n    - {id: usual, role: usual}\n    - {id: limit, role: limit}\n"
)


@pytest.fixture
def load(tmp_path):
    def read(text, measured=(), **files):
        for name, content in files.items():
            (tmp_path / f"{name}.yaml").write_text(content, encoding="utf-8")
        (tmp_path / "campaign.yaml").write_text(text, encoding="utf-8")
        return load_campaign(tmp_path / "campaign.yaml", measured)

    return read


@pytest.fixture
def told(load):
    """`line:column code message (hint)` of everything that is wrong."""

    def read(text, measured=(), **files):
        with pytest.raises(Refused) as refused:
            load(text, measured, **files)
        return [
            f"{d.address.line}:{d.address.column} {d.code} {d.message} ({d.hint})"
            for d in refused.value.diagnostics
        ]

    return read


def test_what_is_left_out_has_one_meaning(load):
    found = load(DENSE)
    assert (found.output, found.executor, found.gpus, found.repeat_process) == (
        "widths",
        "local",
        1,
        1,
    )
    assert (found.seed, found.parallel, found.minutes, found.baseline, found.cross) == (
        None,
        None,
        60,
        True,
        False,
    )
    assert found.options == {"width": "64", "dtype": "float32"}


def test_words_stay_as_they_are_written_and_switches_are_switches(load):
    found = load(HEAD + 'measure: {ratio: 2.10, export: true, name: "true", set: [a=1, b=2]}\n')
    assert found.options == {"ratio": "2.10", "export": True, "name": "true", "set": ("a=1", "b=2")}


def test_what_slurm_is_told_is_kept_as_it_stands(load):
    found = load(
        DENSE + "executor: slurm\ngpus: 0\nslurm:\n  partition: long\n  setup: [module load cuda]\n"
        "  parameters: {account: lab, exclusive: true, mem: 32G}\n"
    )
    assert found.gpus == 0
    assert found.cluster == Cluster(
        partition="long",
        setup=("module load cuda",),
        parameters={"account": "lab", "exclusive": True, "mem": "32G"},
    )


def test_the_cases_are_those_of_the_fiche_with_its_digest(load):
    found = load(HEAD + "from: {fiche: chat.yaml}\n", chat=FICHE)
    assert [case.fiche for case in found.cases] == ["usual", "limit"]
    assert len(found.fiche_sha256) == 64
    chosen = load(HEAD + "from: {fiche: chat.yaml, cases: [limit]}\n", chat=FICHE)
    assert [case.id for case in chosen.cases] == ["limit"]


def test_a_case_that_the_fiche_has_not_is_told_at_its_place(told):
    assert told(HEAD + "from: {fiche: chat.yaml, cases: [limti]}\n", chat=FICHE) == [
        "3:34 F307 there is no case 'limti' (did you mean limit?)"
    ]


def test_a_fiche_that_is_broken_is_told_at_its_own_lines(told):
    (line,) = told(HEAD + "from: {fiche: chat.yaml}\n", chat="fiche: 2\n" + FICHE[9:])
    assert line.startswith("1:8 F315")


def test_a_fiche_that_is_not_there_is_told_at_its_name(told):
    (line,) = told(HEAD + "from: {fiche: gone.yaml}\n")
    assert line.startswith("3:15 F318 'gone.yaml' does not exist")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEAD, "1:1 F302 'run' is missing"),
        (DENSE + "cass: []\n", "4:1 F301 unknown key 'cass' (did you mean cases"),
        (DENSE + "order: shuffled\n", "F302 'seed' is missing"),
        (DENSE + "seed: 7\n", "4:1 F301 'seed' has no place here"),
        (DENSE + "gpus: 0\n", "4:7 F305 'gpus' is at least 1"),
        (DENSE + "slurm: {partition: a}\n", "4:1 F301 'slurm' has no place here"),
        (DENSE + "executor: k8s\n", "4:11 F304 'k8s' is no executor known here"),
        (DENSE + "repeat_process: 0\n", "4:17 F305 'repeat_process' is at least 1"),
        (DENSE + "run: {command: [a]}\n", "4:1 F301 'run' has no place here"),
        (HEAD + "measure: {output: m.json}\n", "3:11 F301 'output' has no place here"),
        (HEAD + "campaign: 1\n" + DENSE[23:], "3:1 F104 key 'campaign' is written twice"),
        (
            DENSE + "variants: [{id: b, change: {width: 1, batch: 2}}]\n",
            "4:39 F309 2 things change at once: width, batch",
        ),
        (DENSE + "variants: [{id: b, change: {}}]\n", "4:28 F305 'change' is empty"),
        (
            DENSE + "cases: [{id: a}, {id: a}]\n",
            "4:23 F306 case 'a' is named twice",
        ),
        (
            DENSE + "variants: [{id: b, change: {width: 64}}]\n",
            "4:29 F563 width is this already: the variant changes nothing",
        ),
        (OWN.replace("{batch}", "{bach}"), "3:31 F563 {bach} has no value (did you mean batch?)"),
        (
            OWN + "variants: [{id: b, change: {bacth: 2}}]\n",
            "4:29 F563 no word of the command names {bacth}: it would change nothing (did you mean batch?)",
        ),
    ],
)
def test_what_is_wrong_is_told_at_its_place(told, text, line):
    """D6: one variable at a time; a typed name that stands for nothing would make a job that lies."""
    assert any(each.startswith(line) or line in each for each in told(text)), told(text)


def test_an_option_that_measure_has_not_is_told_with_the_nearest(told):
    known = ("width", "batch", "dtype")
    text = HEAD + "measure: {widht: 64}\nvariants: [{id: b, change: {bacth: 2}}]\n"
    assert told(text, known) == [
        "3:11 F563 fiche measure has no option --widht (did you mean width?)",
        "4:29 F563 fiche measure has no option --bacth (did you mean batch?)",
    ]


def test_the_words_of_the_job_itself_need_no_value(load):
    found = load(HEAD + 'run: {command: [python, t.py, "{folder}/m.json", "{run}"]}\n')
    assert found.command == ("python", "t.py", "{folder}/m.json", "{run}")


@pytest.mark.parametrize("number", [0, 1])
def test_the_campaigns_of_the_documentation_are_read_and_use_options_that_exist(load, number):
    text = (Path(__file__).parents[2] / "docs" / "campaign.md").read_text(encoding="utf-8")
    found = load(re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)[number], _options_of("measure"))
    assert len(jobs(found)) == (18, 3)[number]
