"""Machines of our own making: NVML, AMD SMI and torch as far as an environment asks them.

Nothing here measures anything: each answers what a test wrote into it, or raises.
"""

# ruff: noqa: N802 - the functions of NVML have the names of its library

from types import ModuleType, SimpleNamespace

GIB, MIB = 1 << 30, 1 << 20
RTX = "NVIDIA GeForce RTX 4090"
VISIBLE, PHYSICAL = 25250758656, 25757220864
HOST_PID = 31337


class NvmlError(Exception):
    """As NVMLError: `value` is the code of the library."""

    def __init__(self, value):
        super().__init__(f"NVML error {value}")
        self.value = value


NOT_SUPPORTED, NO_PERMISSION, UNKNOWN = NvmlError(3), NvmlError(4), NvmlError(999)


def process(pid, used):
    return SimpleNamespace(pid=pid, usedGpuMemory=used)


def card(uuid="GPU-8f2c-11", **told):
    """One card of NVML; what a key holds is answered, an exception in its place is raised."""
    return {
        "uuid": uuid,
        "name": RTX,
        "memory": SimpleNamespace(total=PHYSICAL, used=700 * MIB, free=PHYSICAL - 700 * MIB),
        "compute": [],
        "graphics": [],
        "mps": [],
        "ecc": NOT_SUPPORTED,
        "mig": NOT_SUPPORTED,
        "persistence": 0,
        "accounting": 0,
        "accounts": {},
        "capability": (8, 9),
        "instances": [],
        "parent": None,
        **told,
    }


class Nvml(ModuleType):
    """`pynvml`; `calls` lists what was called, by name."""

    def __init__(self, *cards, driver="570.86.15", names=None, init=None):
        super().__init__("pynvml")
        self.cards = list(cards)
        self.driver = driver
        self.names = names or {}
        self.init = init
        self.calls = []

    def _tell(self, name, value):
        self.calls.append(name)
        if isinstance(value, Exception):
            raise value
        return value

    def _all(self):
        return [*self.cards, *(each for one in self.cards for each in one["instances"])]

    def nvmlInit(self):
        self._tell("nvmlInit", self.init)

    def nvmlDeviceGetCount(self):
        return self._tell("nvmlDeviceGetCount", len(self.cards))

    def nvmlDeviceGetHandleByIndex(self, index):
        return self._tell("nvmlDeviceGetHandleByIndex", self.cards[index])

    def nvmlDeviceGetHandleByUUID(self, uuid):
        self.calls.append("nvmlDeviceGetHandleByUUID")
        for each in self._all():
            if each["uuid"] == uuid:
                return each
        raise NvmlError(6)

    def nvmlSystemGetDriverVersion(self):
        return self._tell("nvmlSystemGetDriverVersion", self.driver)

    def nvmlDeviceGetName(self, handle):
        return self._tell("nvmlDeviceGetName", handle["name"])

    def nvmlDeviceGetUUID(self, handle):
        return self._tell("nvmlDeviceGetUUID", handle["uuid"])

    def nvmlDeviceGetMemoryInfo(self, handle):
        return self._tell("nvmlDeviceGetMemoryInfo", handle["memory"])

    def nvmlDeviceGetComputeRunningProcesses(self, handle):
        return self._tell("compute", handle["compute"])

    def nvmlDeviceGetGraphicsRunningProcesses(self, handle):
        return self._tell("graphics", handle["graphics"])

    def nvmlDeviceGetMPSComputeRunningProcesses(self, handle):
        return self._tell("mps", handle["mps"])

    def nvmlSystemGetProcessName(self, pid):
        return self._tell("nvmlSystemGetProcessName", self.names.get(pid, NO_PERMISSION))

    def nvmlDeviceGetEccMode(self, handle):
        return self._tell("nvmlDeviceGetEccMode", handle["ecc"])

    def nvmlDeviceGetMigMode(self, handle):
        return self._tell("nvmlDeviceGetMigMode", handle["mig"])

    def nvmlDeviceGetPersistenceMode(self, handle):
        return self._tell("nvmlDeviceGetPersistenceMode", handle["persistence"])

    def nvmlDeviceGetAccountingMode(self, handle):
        return self._tell("nvmlDeviceGetAccountingMode", handle["accounting"])

    def nvmlDeviceGetAccountingStats(self, handle, pid):
        self.calls.append("nvmlDeviceGetAccountingStats")
        if pid not in handle["accounts"]:
            raise NvmlError(6)
        return SimpleNamespace(maxMemoryUsage=handle["accounts"][pid])

    def nvmlDeviceGetCudaComputeCapability(self, handle):
        return self._tell("nvmlDeviceGetCudaComputeCapability", handle["capability"])

    def nvmlDeviceGetClockInfo(self, handle, kind):
        return self._tell("nvmlDeviceGetClockInfo", {1: 2520, 2: 10501}[kind])

    def nvmlDeviceIsMigDeviceHandle(self, handle):
        return SimpleNamespace(value=int(handle["parent"] is not None))

    def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self, handle):
        return self._tell("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", handle["parent"])

    def nvmlDeviceGetMaxMigDeviceCount(self, handle):
        return self._tell("nvmlDeviceGetMaxMigDeviceCount", 7 if handle["instances"] else 0)

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle, index):
        if index >= len(handle["instances"]):
            raise NvmlError(6)
        return handle["instances"][index]


def with_instances(*instances):
    """A card cut into MIG instances."""
    whole = card("GPU-a100", name="NVIDIA A100-SXM4-40GB", ecc=[1, 1], mig=[1, 1])
    whole["compute"] = NO_PERMISSION
    whole["instances"] = [{**each, "parent": whole, "ecc": NOT_SUPPORTED} for each in instances]
    return whole


class Amd(ModuleType):
    """`amdsmi`; a gpu is a dict like a card of NVML."""

    AmdSmiMemoryType = SimpleNamespace(VRAM="vram")

    def __init__(self, *gpus, init=None):
        super().__init__("amdsmi")
        self.gpus = list(gpus)
        self.init = init

    def _tell(self, value):
        if isinstance(value, Exception):
            raise value
        return value

    def amdsmi_init(self):
        self._tell(self.init)

    def amdsmi_get_processor_handles(self):
        return self.gpus

    def amdsmi_get_gpu_enumeration_info(self, gpu):
        return self._tell(gpu["enumeration"])

    def amdsmi_get_gpu_asic_info(self, gpu):
        return {"market_name": gpu["name"], "asic_serial": gpu["serial"]}

    def amdsmi_get_gpu_driver_info(self, gpu):
        return {"driver_name": "amdgpu", "driver_version": gpu["driver"]}

    def amdsmi_get_gpu_memory_total(self, gpu, kind):
        return self._tell(gpu["total"])

    def amdsmi_get_gpu_memory_usage(self, gpu, kind):
        return self._tell(gpu["used"])

    def amdsmi_get_gpu_process_list(self, gpu):
        return self._tell(gpu["processes"])

    def amdsmi_get_gpu_process_info(self, gpu, handle):
        return self._tell(gpu["by_handle"][handle])

    def amdsmi_get_gpu_ecc_enabled(self, gpu):
        return self._tell(gpu["ecc"])

    def amdsmi_get_gpu_compute_partition(self, gpu):
        return self._tell(gpu["partition"][0])

    def amdsmi_get_gpu_memory_partition(self, gpu):
        return self._tell(gpu["partition"][1])


MI300X = 192 * GIB - 64 * MIB


def amd_gpu(**told):
    return {
        "name": "AMD Instinct MI300X",
        "serial": "0x9D1C8A7B6E5F4032",
        "enumeration": {"hip_id": 0, "hip_uuid": "GPU-9d1c8a7b6e5f4032"},
        "driver": "6.10.5",
        "total": MI300X,
        "used": 300 * MIB,
        "processes": [],
        "by_handle": {},
        "ecc": 1,
        "partition": ("SPX", "NPS1"),
        **told,
    }


def listed_by_amd(pid, vram):
    return {
        "name": "python",
        "pid": pid,
        "mem": 7,
        "memory_usage": {"vram_mem": vram, "gtt_mem": 1},
    }


def properties(name=RTX, total=VISIBLE, uuid="8f2c-11", **told):
    """What `get_device_properties` returns."""
    return SimpleNamespace(
        **{
            "name": name,
            "total_memory": total,
            "uuid": uuid,
            "major": 8,
            "minor": 9,
            "multi_processor_count": 128,
            "gcnArchName": "",
            **told,
        }
    )


class Api:
    """`torch.cuda` or `torch.xpu`; a first reading of free memory makes the process known to the device."""

    def __init__(self, *devices, available=True, initialised=False, on_use=None):
        self.devices = devices
        self.available = available
        self.initialised = initialised
        self.on_use = on_use
        self.nccl = SimpleNamespace(version=lambda: (2, 26, 2))

    def is_available(self):
        if isinstance(self.available, Exception):
            raise self.available
        return self.available

    def is_initialized(self):
        return self.initialised

    def device_count(self):
        return len(self.devices)

    def current_device(self):
        return 0

    def get_device_properties(self, index):
        told = self.devices[index]
        if isinstance(told, Exception):
            raise told
        return told

    def get_allocator_backend(self):
        return "native"

    def mem_get_info(self, index):
        self.initialised = True
        if self.on_use is not None:
            self.on_use(index)
        total = self.devices[index].total_memory
        return total - 900 * MIB, total


def torch_module(
    api=None, *, version="2.11.0+cu128", cuda="12.8", hip=None, xpu=None, xpu_api=None
):
    """A torch with one backend."""
    made = ModuleType("torch")
    made.__version__ = version
    made.version = SimpleNamespace(cuda=cuda, hip=hip, xpu=xpu)
    made.cuda = api or Api(available=False)
    made.xpu = xpu_api or Api(available=False)
    made.backends = SimpleNamespace(cudnn=SimpleNamespace(version=lambda: 91002))
    return made
