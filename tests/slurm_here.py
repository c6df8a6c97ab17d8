"""A Slurm of one machine for a test: its own munged, slurmctld and slurmd in a folder, ended with the test.

It uses nothing of a Slurm that the machine may have: own ports, own key, own state. It works as root in a
container without systemd, and as a user.
"""

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

_CONFIGURATION = """\
ClusterName=fiche
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
GresTypes=gpu
MailProg=/bin/true
ReturnToService=2
KillWait=25
MinJobAge=300
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE State=UP
"""
_UP_S = 30


@contextlib.contextmanager
def slurm():
    """Start it, wait until its node is idle, set SLURM_CONF; end it however the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # the path of a socket is short
    folder.chmod(0o755)
    before = os.environ.get("SLURM_CONF")
    running = []
    try:
        _configure(folder)
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        running.append(_munged(folder))
        for program, *words in (("slurmctld", "-c"), ("slurmd", "-N", "n1")):
            running.append(_started(folder, program, "-D", *words))
        _wait(lambda: _asked("sinfo", "-h", "-o", "%T") == "idle", folder, running)
        yield folder
    finally:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["scancel", f"--user={getpass.getuser()}"], timeout=20, check=False)
            _wait(lambda: _asked("squeue", "-h") == "", folder, running)
        for process in reversed(running):
            process.terminate()
        for process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
            process.kill()
        if before is None:
            os.environ.pop("SLURM_CONF", None)
        else:
            os.environ["SLURM_CONF"] = before
        shutil.rmtree(folder, ignore_errors=True)


def _configure(folder):
    told = {
        "host": socket.gethostname().partition(".")[0],
        "controller": _port(),
        "node": _port(),
        "folder": folder,
        "user": getpass.getuser(),
    }
    (folder / "slurm.conf").write_text(_CONFIGURATION.format(**told))
    (folder / "gres.conf").write_text("NodeName=n1 Name=gpu File=/dev/zero,/dev/full\n")
    for name in ("state", "spool"):
        (folder / name).mkdir()


def _port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _munged(folder):
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    names = {"socket": "sock", "key-file": "key", "pid-file": "pid", "log-file": "log"}
    words = [f"--{option}={folder}/munge.{name}" for option, name in names.items()]
    seed = f"--seed-file={folder}/munge.seed"
    process = _started(folder, "munged", "--foreground", "--force", seed, *words)
    _wait((folder / "munge.sock").exists, folder, [process])
    return process


def _started(folder, program, *words):
    # Debian keeps daemons in /usr/sbin, which is not on everybody's path.
    path = shutil.which(program) or f"/usr/sbin/{program}"
    with (folder / f"{program}.said").open("wb") as said:
        return subprocess.Popen([path, *words], stdin=subprocess.DEVNULL, stdout=said, stderr=said)


def _asked(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def _wait(is_so, folder, running):
    end = time.monotonic() + _UP_S
    while not is_so():
        over = [process for process in running if process.poll() is not None]
        if over or time.monotonic() > end:
            raise RuntimeError(f"Slurm does not come up: {_logs(folder)}")
        time.sleep(0.1)


def _logs(folder):
    paths = sorted([*folder.glob("*.log"), *folder.glob("*.said")])
    return "\n".join(f"{p.name}: {p.read_text(errors='replace')[-1500:]}" for p in paths)
