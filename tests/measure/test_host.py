"""What a machine says of itself without any framework: limits found or absent, nothing personal (A5, C2)."""

import pytest

from fiche.measure.protocol.host import container, host_block, kernel_driver, set_variables


@pytest.fixture
def root(tmp_path):
    """A root of files: `root(path=text)` writes them and returns it."""

    def made(files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")
        return tmp_path

    return made


GROUP = "sys/fs/cgroup"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/self/cgroup": "0::/\n", f"{GROUP}/memory.max": "8589934592\n"}, 8589934592),
        ({"proc/self/cgroup": "0::/\n", f"{GROUP}/memory.max": "max\n"}, None),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                f"{GROUP}/a/b/memory.max": "max\n",
                f"{GROUP}/a/memory.max": "4096\n",
            },
            4096,
        ),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                f"{GROUP}/a/b/memory.max": "8192\n",
                f"{GROUP}/a/memory.max": "4096\n",
            },
            4096,
        ),
        (
            {
                "proc/self/cgroup": "9:name=systemd:/x\n4:memory:/docker/1f\n",
                f"{GROUP}/memory/memory.limit_in_bytes": "2147483648\n",
            },
            2147483648,
        ),
        (
            {
                "proc/self/cgroup": "4:memory:/x\n",
                f"{GROUP}/memory/memory.limit_in_bytes": "9223372036854771712\n",
            },
            None,
        ),
        ({"proc/self/cgroup": "0::/../..\n", f"{GROUP}/memory.max": "77\n"}, 77),
        ({"proc/self/cgroup": "broken\n", f"{GROUP}/memory.max": "many\n"}, None),
        ({}, None),
    ],
    ids=["v2", "v2 none", "above", "lowest", "v1", "v1 none", "outside", "broken", "no groups"],
)
def test_the_lowest_limit_on_the_way_up_counts_and_none_is_absent(root, files, expected):
    """A limit that was not found is not known to be none."""
    assert container(root(files)).get("memory_limit_bytes") == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/self/cgroup": "0::/\n", f"{GROUP}/cpu.max": "150000 100000\n"}, (150000, 100000)),
        ({"proc/self/cgroup": "0::/\n", f"{GROUP}/cpu.max": "max 100000\n"}, (None, None)),
        (
            {
                "proc/self/cgroup": "3:cpu,cpuacct:/x\n",
                f"{GROUP}/cpu,cpuacct/cpu.cfs_quota_us": "200000\n",
                f"{GROUP}/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            },
            (200000, 100000),
        ),
        (
            {
                "proc/self/cgroup": "3:cpu:/\n",
                f"{GROUP}/cpu/cpu.cfs_quota_us": "-1\n",
                f"{GROUP}/cpu/cpu.cfs_period_us": "100000\n",
            },
            (None, None),
        ),
    ],
)
def test_a_quota_of_processors(root, files, expected):
    told = container(root(files))
    assert (told.get("cpu_quota_us"), told.get("cpu_period_us")) == expected


def test_signs_of_a_container(root, monkeypatch):
    for name in ("KUBERNETES_SERVICE_HOST", "SINGULARITY_NAME", "APPTAINER_NAME", "container"):
        monkeypatch.delenv(name, raising=False)
    assert container(root({"proc/self/cgroup": ""}))["signs"] == []
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert container(root({".dockerenv": ""}))["signs"] == [
        "/.dockerenv",
        "KUBERNETES_SERVICE_HOST",
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  "
                "535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0\n"
            },
            "535.104.05",
        ),
        (
            {
                "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for "
                "x86_64  570.86.15  Release Build  (builder@host)\n"
            },
            "570.86.15",
        ),
        ({"sys/module/amdgpu/version": "6.10.5\n"}, "6.10.5"),
        ({}, None),
    ],
)
def test_the_kernel_knows_its_driver_without_any_tool(root, files, expected):
    assert kernel_driver(root(files)) == expected


def test_the_machine_in_words(root):
    told = host_block(
        root(
            {
                "etc/os-release": 'NAME=x\nPRETTY_NAME="Ubuntu 24.04.2 LTS"\n',
                "proc/meminfo": "MemTotal:       131072000 kB\nMemFree: 1 kB\n",
            }
        )
    )
    assert told["host_memory_bytes"] == 131072000 * 1024
    assert told["os"].startswith("Ubuntu 24.04.2 LTS, ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True,max_split_size_mb:128"),
        ("CUDA_VISIBLE_DEVICES", "GPU-8f2c1c55-0a2b-4c6e-9f0e-1d3c5b7a9e11,MIG-1"),
        ("NCCL_SOCKET_IFNAME", "eth0"),
        ("CUBLAS_WORKSPACE_CONFIG", ":4096:8"),
        ("HSA_OVERRIDE_GFX_VERSION", "11.0.0"),
        ("CUDA_HOME", "/usr/local/cuda-12.8"),
        ("ZE_AFFINITY_MASK", "0.0"),
    ],
)
def test_variables_that_steer_the_runtimes_are_shown_as_they_are(name, value):
    assert set_variables({name: value, "PATH": "/x", "PYTHONPATH": "/y"}) == ({name: value}, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CUDA_HOME", "/home/alice/cuda"),
        ("CUDA_PATH", r"C:\Users\alice\cuda"),
        ("CUDA_CACHE_PATH", "/root/.nv"),
        ("CUDA_CACHE_PATH", "/Users/alice/cache"),
        ("NCCL_COMM_ID", "10.1.2.3:4567"),
        ("NCCL_COMM_ID", "[fe80::1:2:3]:77"),
        ("NCCL_CONF_FILE", "alice@gateway"),
        ("PYTORCH_INDEX", "https://user:word@example.org/"),
        ("HIP_API_TOKEN", "short"),
        ("PYTORCH_SECRET", "x"),
        ("NCCL_THING", "hf_" + "a" * 34),
        ("NCCL_THING", "k" * 44),
        ("NCCL_THING", "v " * 300),
        ("NCCL_THING", "password=hunter2"),
        ("NCCL_THING", '{"api_key": "abc"}'),
        ("NCCL_THING", "token" * 200_000),
    ],
)
def test_what_looks_personal_or_secret_is_named_and_not_shown(name, value):
    assert set_variables({name: value}) == ({}, [name])


def test_control_characters_of_a_variable_do_not_reach_a_terminal():
    shown, _ = set_variables({"NCCL_DEBUG": "INFO\x1b[2J"})
    assert shown == {"NCCL_DEBUG": "INFO\N{REPLACEMENT CHARACTER}[2J"}


def test_an_unusual_name_is_no_variable_of_ours():
    assert set_variables({"NCCL_a b": "1", "NCCL_\u00fc": "1"}) == ({}, [])
