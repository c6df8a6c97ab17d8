"""Which jobs start, how many at once, on which cards; and what a killed campaign leaves (C9, C10)."""

import os
import signal
import sys
import threading
import time

import pytest
from campaigns import Processes, stand_in

from fiche.kernel.campaign import Campaign, Cluster, Variant
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.measure.campaign import cards as cards_module
from fiche.measure.campaign import drive as drive_module
from fiche.measure.campaign.cards import Cards, _cards, cards
from fiche.measure.campaign.drive import Drive, standings
from fiche.measure.campaign.engine import parameters, warning
from fiche.measure.campaign.files import read, write_new
from fiche.measure.campaign.folder import Told, Try, is_due, new_try, seen, tries
from fiche.measure.campaign.plan import jobs
from fiche.measure.campaign.slurm import told
from fiche.measure.campaign.work import ENDED, QUEUED, STARTED, SUBMIT, records


def campaign(count=4, **told):
    variants = tuple(
        Variant(id=f"w{n}", variable="width", value=str(n)) for n in range(1, count + 1)
    )
    return Campaign(
        **{"id": "c", "sha256": "0", "output": "c", "variants": variants, "baseline": False, **told}
    )


class Held:
    """A job that runs until the test ends it; it only makes what `work` makes."""

    local = True

    def __init__(self):
        self.running, self.most, self.seen = {}, 0, []

    def submit(self, folder, name):
        handle = _Handle(folder)
        self.running[folder] = handle
        living = [each for each in self.running.values() if not each.over]
        self.most = max(self.most, len(living))
        self.seen.append(read(folder / SUBMIT))
        if len(living) > 1:
            living[0].end()
        return handle


class _Handle:
    job_id = "0"

    def __init__(self, folder):
        self.folder, self.asked, self.over = folder, 0, False
        write_new(folder / STARTED, {"host": "here"})

    def end(self):
        self.over = True
        (self.folder / "m.json").write_text('{"format": "fiche-measurement/1"}')
        write_new(
            self.folder / ENDED, {"exit": 0, "how": "by itself", "records": [{"file": "m.json"}]}
        )

    def done(self):
        self.asked += 1
        if self.asked > 2 and not self.over:
            self.end()
        return self.over


def drive(tmp_path, campaign_, engine, cards=None, said=None):
    tell = (said if said is not None else []).append
    return Drive(
        campaign_, jobs(campaign_), tmp_path, engine, home=tmp_path, cards=cards, tell=tell
    )


@pytest.fixture
def held(monkeypatch):
    monkeypatch.setattr(drive_module, "_FASTEST_S", 0.001)
    monkeypatch.setattr(drive_module, "_SLOWEST_S", 0.004)
    return Held()


def run(driver):
    return driver.run(retry_failed=False, wait=True)


def visible(engine):
    return [each["environment"]["CUDA_VISIBLE_DEVICES"] for each in engine.seen]


TWO = Cards(variable="CUDA_VISIBLE_DEVICES", tokens=("0", "1"))


def test_one_job_a_card_each_its_own(tmp_path, held):
    """C9: a reading of one card describes no other, so no job shares one by default."""
    found = run(drive(tmp_path, campaign(), held, TWO))
    assert {one.state for one in found} == {"done"}
    assert held.most == 2
    assert set(visible(held)[:2]) == {"0", "1"}
    assert set(visible(held)) == {"0", "1"}


def test_a_job_that_gets_two_cards_gets_both_and_is_alone(tmp_path, held, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    both = Cards(variable="CUDA_VISIBLE_DEVICES", tokens=("4", "7"))
    run(drive(tmp_path, campaign(gpus=2), held, both))
    assert held.most == 1
    assert visible(held) == ["4,7"] * 4


def test_more_at_once_than_cards_only_where_that_is_said(tmp_path, held):
    run(drive(tmp_path, campaign(parallel=2), held, Cards(variable="X_VISIBLE", tokens=("0",))))
    assert held.most == 2


def test_at_most_as_many_at_once_as_said(tmp_path, held):
    run(drive(tmp_path, campaign(parallel=1), held, TWO))
    assert held.most == 1


def test_cards_that_somebody_chose_are_handed_on_by_their_names():
    chosen = _cards({"count": 2, "backend": "cuda"}, {"CUDA_VISIBLE_DEVICES": "3, GPU-ab"})
    assert chosen.tokens == ("3", "GPU-ab")
    assert _cards({"count": 2, "backend": "xpu"}, {}).variable == "ZE_AFFINITY_MASK"
    assert _cards({"count": 2, "backend": "cuda"}, {}).tokens == ("0", "1")


def test_a_single_card_is_shown_as_it_was(monkeypatch):
    """submitit hides every card from its processes: that is undone where nothing was chosen."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    one = Cards(variable="CUDA_VISIBLE_DEVICES", tokens=("0",))
    assert one.only(["0"])["CUDA_VISIBLE_DEVICES"] is None
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5")
    five = Cards(variable="CUDA_VISIBLE_DEVICES", tokens=("5",))
    assert five.only(["5"])["CUDA_VISIBLE_DEVICES"] == "5"


def test_each_change_of_state_is_told_once(tmp_path, held):
    said = []
    run(drive(tmp_path, campaign(count=1), held, TWO, said))
    (job,) = jobs(campaign(count=1))
    assert said == [f"[1/1] {job.id} running", f"[1/1] {job.id} done"]


def test_a_refused_submission_is_no_try(tmp_path):
    class Refusing:
        local = False

        def submit(self, folder, name):
            raise Refused([Diagnostic(code="F567", message="no", address=None)])

    driver = drive(tmp_path, campaign(count=1), Refusing())
    with pytest.raises(Refused, match="F567"):
        run(driver)
    assert list(tmp_path.rglob("try-*")) == []


def test_a_job_that_still_runs_is_waited_for_and_not_started_again(tmp_path, monkeypatch):
    """A campaign that was killed leaves its jobs running: they are found again by their locks."""
    stand_in(monkeypatch)
    asked = campaign(count=1, options={"sleep": "1.5"})
    first, second = Processes(), Processes()
    driver = drive(tmp_path, asked, first, TWO)
    driver.look(driver.jobs)
    (job,) = jobs(asked)
    driver.start(job, [])  # and this process is killed right here
    while standings(asked, [job], tmp_path)[0].state != "running":
        time.sleep(0.02)
    (one,) = drive(tmp_path, asked, second, TWO).run(retry_failed=False, wait=True)
    assert (one.state, len(one.tries), second.started) == ("done", 1, [])
    first.started[0].process.wait()


def test_a_try_that_never_started_cannot_start_beside_the_next(tmp_path, held):
    asked = campaign(count=1)
    (job,) = jobs(asked)
    folder = new_try(tmp_path, job, 1, {"name": "n"})
    (one,) = run(drive(tmp_path, asked, held, TWO))
    assert [each.state for each in one.tries] == ["interrupted", "done"]
    assert read(folder / STARTED)["void"] == "it was never started"


def test_asked_to_end_our_own_processes_end_first(tmp_path, monkeypatch):
    stand_in(monkeypatch)
    asked = campaign(count=1, options={"sleep": "60"})
    processes = Processes()

    def ask():
        while not list(tmp_path.rglob("in-prefill")):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    asking = threading.Thread(target=ask)
    asking.start()
    with pytest.raises(KeyboardInterrupt):
        run(drive(tmp_path, asked, processes, TWO))
    asking.join()
    assert all(each.done() for each in processes.started)
    (one,) = standings(asked, jobs(asked), tmp_path)
    assert one.state == "interrupted"
    assert one.message == "asked to end by SIGTERM"
    assert len(records(one.tries[0].folder)) == 1


# --- States -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ended", "state"),
    [
        ({"exit": 0, "records": [{"file": "m.json"}]}, "done"),
        ({"exit": 0, "records": []}, "failed"),
        ({"exit": 0, "records": [{"file": "gone.json"}]}, "interrupted"),
        ({"exit": 2}, "refused"),
        ({"exit": 3}, "failed"),
        ({"exit": 1}, "failed"),
        ({"exit": -9}, "failed"),
        ({"exit": None}, "failed"),
        ({"exit": 130}, "interrupted"),
        ({"exit": 3, "how": "asked to end by SIGTERM"}, "interrupted"),
        ({"exit": -15, "how": "its time was up"}, "failed"),
    ],
)
def test_the_state_is_what_the_end_says(tmp_path, ended, state):
    (tmp_path / "m.json").touch()
    write_new(tmp_path / ENDED, {"how": "by itself", "message": "", "records": [], **ended})
    found = seen(tmp_path, 1, {})
    assert found.state == state
    assert (found.message == "") == (state == "done" or ended["exit"] in (2, 130))


def test_the_queue_is_believed_only_where_no_end_is_noted(tmp_path):
    write_new(tmp_path / SUBMIT, {"name": "fiche-a"})
    assert seen(tmp_path, 1, {}).state == "interrupted"
    by_name = {"fiche-a": Told(state="queued", message="Slurm says PENDING")}
    assert seen(tmp_path, 1, by_name).state == "queued"
    write_new(tmp_path / QUEUED, {"job": "17"})
    assert seen(tmp_path, 1, {"17": Told(state="running")}).state == "running"
    write_new(tmp_path / ENDED, {"exit": 3, "how": "by itself", "message": "why"})
    assert seen(tmp_path, 1, by_name).state == "failed"


def test_a_done_job_is_never_due_and_a_living_one_neither(tmp_path):
    def one(*states):
        return tuple(Try(number=n, folder=tmp_path, state=s) for n, s in enumerate(states))

    assert is_due((), False)
    assert is_due(one("interrupted"), False)
    assert not is_due(one("failed"), False)
    assert is_due(one("failed"), True)
    assert is_due(one("refused"), True)
    for living in ("running", "queued"):
        assert not is_due(one("failed", living), True)
    assert not is_due(one("done", "failed"), True)


def test_tries_come_in_the_order_of_their_numbers(tmp_path):
    (job,) = jobs(campaign(count=1))
    for number in (10, 9, 2):
        new_try(tmp_path, job, number, {})
    assert [each.number for each in tries(tmp_path, job)] == [2, 9, 10]


# --- Slurm's words ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("PENDING", "queued"),
        ("RUNNING", "running"),
        ("COMPLETING", "running"),
        ("COMPLETED", "running"),
        ("TIMEOUT", "failed"),
        ("OUT_OF_MEMORY", "failed"),
        ("FAILED", "failed"),
        ("CANCELLED by 0", "interrupted"),
        ("CANCELLED+", "interrupted"),
        ("NODE_FAIL", "interrupted"),
        ("PREEMPTED", "interrupted"),
        ("", "interrupted"),
    ],
)
def test_slurms_words_have_one_meaning(word, state):
    """A job that is over has not been seen to write its end: a shared disk takes a while."""
    assert told(word).state == state


def test_slurm_is_told_what_the_campaign_says_and_never_to_start_a_job_again():
    asked = campaign(
        executor="slurm",
        minutes=30,
        gpus=2,
        cluster=Cluster(partition="a", setup=("module load x",), parameters={"account": "lab"}),
    )
    assert parameters(asked) == {
        "time": 30,
        "signal_delay_s": 60,
        "gpus_per_node": 2,
        "partition": "a",
        "setup": ["module load x"],
        "additional_parameters": {"no-requeue": True, "account": "lab"},
    }
    assert "gpus_per_node" not in parameters(campaign(executor="slurm", gpus=0))
    assert [warning(minutes) for minutes in (1, 2, 4, 600)] == [15, 30, 60, 60]


# --- Cards as another Python sees them --------------------------------------------------------


def test_the_cards_of_a_program_are_those_that_its_own_python_sees(tmp_path, monkeypatch):
    """A torch of three cards in the program's Python; ours may have none."""
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    python = tmp_path / "python3"
    python.write_text(
        '#!/bin/sh\n[ "$1" = -c ] && echo \'{"count": 3, "backend": "cuda"}\'\nexit 0\n'
    )
    python.chmod(0o755)
    assert cards((str(python), "train.py")).tokens == ("0", "1", "2")


def test_a_shell_gets_all_cards_and_runs_alone(monkeypatch):
    """Which Python it starts is not known: nothing is hidden from it, and no job runs beside it."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(cards_module, "why_not", lambda *_: None)
    found = cards(("bash", "train.sh"))
    assert found.tokens == ("0",)
    assert found.only(["0"])["CUDA_VISIBLE_DEVICES"] is None


def test_a_probe_that_does_not_answer_is_no_card(monkeypatch):
    monkeypatch.setattr(cards_module, "PROBE", (sys.executable, "-c", "print('no JSON')"))
    with pytest.raises(Refused, match="F566 no card was found"):
        cards()
