"""Names of people and machines in a log, and where they stand.

Prefixes are those of evidence_formats.md 1.4, of syslog and journald, of torchrun, slurm and NCCL.
"""

from __future__ import annotations

from fiche.importers._redaction import HOST, IS, NAME, is_host, is_login, is_person, rule
from fiche.kernel.secret_shapes import EDGE

HOSTS = (
    rule(
        "host",
        rb"--(?:host|master[_-]addr|rdzv[_-]endpoint|dist-init-addr|node)[ =]{1,4}(?P<it>"
        + HOST
        + rb")",
        b"--",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?i)"
        + EDGE
        + rb"(?:[\w]{1,40}[_-])?(?:hostname|host_name|nodename|node_name|master_addr|node_?list|"
        rb"HOST|host_ip|computer_?name|rdzv_endpoint|head_node)" + IS + rb"(?P<it>" + HOST + rb")",
        b"host",
        b"node",
        b"addr",
        b"computer",
        b"rdzv",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?i)(?:^|(?<=[\s(\[]))host[ \t]{0,12}:[ \t]{1,4}(?P<it>" + HOST + rb")(?=[\s)(,]|$)",
        b"host",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?m)"
        + EDGE
        + rb"(?<!\.)(?P<it>"
        + HOST
        + rb"):[0-9]{1,8}:[0-9]{1,8} (?:\[[0-9]{1,3}\] )?NCCL ",
        b"nccl",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?:srun|slurmstepd[\w.-]{0,63}|slurmd[\w.-]{0,63}): error: (?:Node )?(?P<it>"
        + HOST
        + rb"): tasks? ",
        b"srun",
        b"slurm",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?: ON | on node | on host |slurmd\[|\bhosts? )(?P<it>"
        + HOST
        + rb")(?= CANCELLED|\]: |[,:.]?[ \t\r\n]|[,:.]?$)(?<=[0-9])",
        b"on ",
        b"slurmd[",
        b"host",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?m)^(?:\S{1,40} ){0,3}?\S{2,14}\.? {1,2}[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
        rb"(?:\.[0-9]{1,9})? (?P<it>" + HOST + rb") [\w./@()-]{1,80}(?:\[[0-9]{1,8}\])?: ",
        b": ",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        EDGE
        + rb"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9:.,]{8,20}(?:Z|[+-][0-9]{2}:?[0-9]{2})? (?P<it>"
        + HOST
        + rb") [\w./@()-]{1,80}\[[0-9]{1,8}\]: ",
        b"]: ",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?m)^(?P<it>"
        + HOST
        + rb") {1,12}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} {1,2}[0-9]{1,2} ",
        b" ",
        learned=True,
        accepts=is_host,
    ),
    rule(
        "host",
        rb"(?i)"
        + EDGE
        + rb"(?<!\.)(?P<it>(?:[a-z0-9_-]{1,63}\.){1,8}(?:internal|local|lan|corp|intra|intranet|home|"
        rb"localdomain|svc|cluster|private))(?![\w-]|\.[a-z])",
        b".in",
        b".lo",
        b".la",
        b".co",
        b".ho",
        b".sv",
        b".cl",
        b".pr",
        accepts=is_host,
    ),
    rule(
        "host",
        EDGE
        + rb"(?<![+.-])[A-Za-z][A-Za-z0-9+.-]{0,20}://(?:(?:[^\s/@\"'<>]{1,300}|(?:<|&lt;)[a-z]{1,20}-[0-9]{1,9}(?:>|&gt;))@)?(?P<it>"
        + HOST
        + rb")(?=[:/?#\s\"'\]),;>}\\]|$)",
        b"://",
        learned=False,
        accepts=is_host,
    ),
)

USERS = (
    rule(
        "user",
        rb"wandb\.ai/(?!site|authorize|docs|home|login)(?P<it>" + NAME + rb")/",
        b"wandb.ai",
        learned=True,
    ),
    rule(
        "user",
        rb"(?i)\blogged in as:? (?P<it>" + NAME + rb")",
        b"logged in",
        learned=True,
        accepts=is_person,
    ),
    rule(
        "user",
        rb"/(?:home|Users|users|homes|scratch|people)/(?P<it>"
        + NAME
        + rb")(?![A-Za-z0-9_\x80-\xff])",
        b"/home/",
        b"/users/",
        b"/homes/",
        b"/scratch/",
        b"/people/",
        learned=True,
        accepts=is_person,
    ),
    rule(
        "user",
        rb"(?i)" + EDGE + rb"[A-Z]:(?:\\{1,4}|/)(?:Users|Documents and Settings)(?:\\{1,4}|/)"
        rb"(?P<it>[^\\/:*?\"'<>|\r\n,;]{1,64}"
        rb"(?=[\\/])|" + NAME + rb")",
        b"users",
        b"settings",
        learned=True,
        accepts=is_person,
    ),
    rule(
        "user",
        rb"(?:/var/spool/mail/|/var/mail/|/media/|/pytest-of-|(?<![\w/.])~)(?P<it>[A-Za-z_][\w.-]{0,31})(?=/)",
        b"/mail/",
        b"/media/",
        b"/pytest-of-",
        b"~",
        learned=True,
        accepts=is_person,
    ),
    rule(
        "user",
        EDGE
        + rb"(?:[A-Z]{1,12}_){0,3}(?:USER|LOGNAME|USERNAME|SUDO_USER|user_?name|login)(?:"
        + IS
        + rb")(?P<it>"
        + NAME
        + rb")",
        b"user",
        b"logname",
        b"login",
        learned=True,
        accepts=is_login,
    ),
    rule(
        "user",
        EDGE + rb"\\?[\"']user\\?[\"'][ \t]{0,8}:[ \t]{0,8}\\?[\"'](?P<it>" + NAME + rb")\\?[\"']",
        b"user",
        learned=True,
        accepts=is_login,
    ),
    rule(
        "user",
        EDGE + rb"user=[\"']?(?P<it>" + NAME + rb")",
        b"user=",
        learned=True,
        accepts=is_login,
    ),
    rule(
        "user",
        rb"\b(?:uid|gid|euid)=[0-9]{1,10}\((?P<it>" + NAME + rb")\)",
        b"id=",
        learned=True,
        accepts=is_login,
    ),
    rule(
        "user",
        rb"\b(?:of|for|by|as) user (?P<it>[a-z_][a-z0-9_.-]{1,31})(?=[\s,.:;(]|$)",
        b" user ",
        learned=True,
        accepts=is_login,
    ),
    rule(
        "user",
        rb"(?m)(?:^|(?<=[\s(\[]))(?P<it>[A-Za-z_][A-Za-z0-9_.-]{0,31})@"
        rb"(?=[A-Za-z][A-Za-z0-9.-]{1,62}(?::[~/]|[ \t]?[$#%] |\]))",
        b"@",
        learned=True,
        accepts=is_login,
    ),
    rule(
        "host",
        rb"(?m)(?:^|(?<=[\s(\[]))(?:[A-Za-z_][A-Za-z0-9_.-]{0,31}|<user-[0-9]{1,9}>)@"
        rb"(?P<it>[A-Za-z][A-Za-z0-9.-]{1,62})"
        rb"(?=:[~/]|[ \t]?[$#%] |\])",
        b"@",
        learned=True,
        accepts=is_host,
    ),
)

# Words that programs use themselves: as names of people and machines they go only where a rule finds them.
COMMON = frozenset(
    b"""root user users admin administrator ubuntu debian centos fedora worker workers node nodes master
    main head server client host local home work workspace data dataset datasets model models
    checkpoint checkpoints cache
    tmp temp test tests torch pytorch python conda venv cuda nvidia rocm amd intel hip gpu cpu memory mem device
    devices rank peak max min total free used current reserved allocated active step loss train trainer training
    eval error info warning debug none true false vllm sglang ollama llama llamacpp ray slurm docker podman
    kubernetes kube pod container engine core process pid kernel systemd job jobs run runs log logs file files
    line lib bin src app apps opt srv usr var mnt build runner jenkins gitlab github jovyan notebook jupyter
    colab kaggle content input output outputs hub huggingface transformers deepspeed megatron axolotl unsloth
    lightning accelerate qwen mistral gemma default public shared service services system version driver runtime
    graph graphs batch tokens token size bytes time start end load loading weights layer layers kv pool block
    blocks segment segments buffer buffers compute context""".split()
)
