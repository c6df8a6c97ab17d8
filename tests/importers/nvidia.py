"""What NVIDIA's tools print, in every layout: figures are made up and agree with each other."""

MIB = 1 << 20

PLAIN = """\
{time}
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 440.33.01    Driver Version: 440.33.01    CUDA Version: 10.2     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  GeForce RTX 208...  Off  | 00000000:00:03.0 Off |                  N/A |
| N/A   30C    P8    17W / 125W |   {used:>5}MiB / 11019MiB |      0%      Default |
+-------------------------------+----------------------+----------------------+
|   1  Tesla V100-SXM2...  On   | 0000:00:04.0     Off |                  Off |
| N/A   41C    P0   117W / 300W |  14046MiB / 16160MiB |     97%   E. Process |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    1      8351      C   /usr/bin/python3.6                         14035MiB |
|    1      8360    C+G   ...with blanks in/it's name --type=gpu        11MiB |
+-----------------------------------------------------------------------------+
"""


def old(used=46, time="Wed Oct  9 09:39:44 2019       "):
    """A table of R440: no columns GI and CI, names cut, a short bus id."""
    return PLAIN.format(used=used, time=time)


WIDE = """\
Tue Feb 11 15:42:0{second} 2025
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.65.06              Driver Version: 580.65.06      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H200                    On  |   00000000:1B:00.0 Off |                    0 |
| N/A   30C    P0             76W /  700W | {used:>8} / 143771MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
{processes}
+-----------------------------------------------------------------------------------------+
"""
NONE = "|  No running processes found                                                             |"
PYTHON = (
    "|    0   N/A  N/A         2201      C   python                                 {0:>7}MiB |"
)
XORG = "|    0   N/A  N/A         1801      G   /usr/lib/xorg/Xorg                           4MiB |"


def wide(used="4MiB", processes=NONE, second=7):
    """A table of R580."""
    return WIDE.format(used=used, processes=processes, second=second)


SPARK = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA GB10                    On  |   0000000F:01:00.0 Off |                  N/A |
| N/A   43C    P0             14W /  N/A  | Not Supported          |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A          114687      C   /usr/local/bin/python                 19135MiB |
+-----------------------------------------------------------------------------------------+
"""

REPORT = """\
==============NVSMI LOG==============

Timestamp                                 : {time}
Driver Version                            : 535.104.05
CUDA Version                              : 12.2

Attached GPUs                             : 2
GPU 00000000:01:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    Product Brand                         : NVIDIA
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Enabled
        Pending                           : Enabled
    MIG Device
        Index                             : 0
        GPU Instance ID                   : 3
        Compute Instance ID               : 0
        Device Attributes
            Shared
                Multiprocessor count      : 42
        ECC Errors
            Volatile
                SRAM Uncorrectable        : 0
        FB Memory Usage
            Total                         : 40192 MiB
            Reserved                      : 0 MiB
            Used                          : 37 MiB
            Free                          : 40154 MiB
        BAR1 Memory Usage
            Total                         : 65535 MiB
            Used                          : 0 MiB
            Free                          : 65535 MiB
    Accounting Mode                       : Disabled
    Driver Model
        Current                           : N/A
        Pending                           : N/A
    GPU UUID                              : GPU-11111111-2222-3333-4444-555555555555
    Minor Number                          : 3
    PCI
        Bus                               : 0x01
        Bus Id                            : 00000000:01:00.0
    FB Memory Usage
        Total                             : 81920 MiB
        Reserved                          : 893 MiB
        Used                              : {used} MiB
        Free                              : 80989 MiB
    BAR1 Memory Usage
        Total                             : 131072 MiB
        Used                              : 1 MiB
        Free                              : 131071 MiB
    Conf Compute Protected Memory Usage
        Total                             : 0 MiB
        Used                              : 0 MiB
        Free                              : 0 MiB
    Compute Mode                          : Default
    Utilization
        Gpu                               : 0 %
        Memory                            : 12 %
        Encoder                           : 0 %
    ECC Mode
        Current                           : Enabled
        Pending                           : Enabled
    Processes                             : None

GPU 00000000:41:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Disabled
        Pending                           : Disabled
    FB Memory Usage
        Total                             : 81920 MiB
        Reserved                          : 893 MiB
        Used                              : 30510 MiB
        Free                              : 50516 MiB
    BAR1 Memory Usage
        Total                             : 131072 MiB
    ECC Mode
        Current                           : Enabled
        Pending                           : Enabled
    Processes
        GPU instance ID                   : N/A
        Compute instance ID               : N/A
        Process ID                        : 31877
            Type                          : C
            Name                          : /usr/bin/python3: worker
            Used GPU Memory               : 30498 MiB
        GPU instance ID                   : N/A
        Compute instance ID               : N/A
        Process ID                        : 31999
            Type                          : C+G
            Name                          : C:\\\\Windows\\\\explorer.exe
            Used GPU Memory               : Not available in WDDM driver model
"""


def report(used=37, time="Thu Jul 10 08:20:31 2025"):
    """A whole `-q` with MIG on one device and processes on the other."""
    return REPORT.format(used=used, time=time)


XML = """\
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>{time}</timestamp>
	<driver_version>550.54.15</driver_version>
	<cuda_version>12.4</cuda_version>
	<attached_gpus>1</attached_gpus>
	<gpu id="00000000:17:00.0">
		<product_name>NVIDIA L40S</product_name>
		<persistence_mode>Enabled</persistence_mode>
		<mig_mode>
			<current_mig>N/A</current_mig>
			<pending_mig>N/A</pending_mig>
		</mig_mode>
		<mig_devices>
			<mig_device>
				<index>0</index>
				<gpu_instance_id>3</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<fb_memory_usage>
					<total>4864 MiB</total>
					<reserved>0 MiB</reserved>
					<used>3 MiB</used>
					<free>4861 MiB</free>
				</fb_memory_usage>
				<bar1_memory_usage>
					<total>8191 MiB</total>
					<used>0 MiB</used>
				</bar1_memory_usage>
			</mig_device>
		</mig_devices>
		<uuid>GPU-1a8cc6b1-ccb6-5029-fa69-fff5ded323b9</uuid>
		<minor_number>2</minor_number>
		<fb_memory_usage>
			<total>46068 MiB</total>
			<reserved>592 MiB</reserved>
			<used>{used}</used>
			<free>7350 MiB</free>
		</fb_memory_usage>
		<bar1_memory_usage>
			<total>65536 MiB</total>
			<used>4 MiB</used>
			<free>65532 MiB</free>
		</bar1_memory_usage>
		<utilization>
			<gpu_util>97 %</gpu_util>
			<memory_util>44 %</memory_util>
		</utilization>
		<ecc_mode>
			<current_ecc>Enabled</current_ecc>
			<pending_ecc>Enabled</pending_ecc>
		</ecc_mode>
		<processes>
			<process_info>
				<gpu_instance_id>N/A</gpu_instance_id>
				<compute_instance_id>N/A</compute_instance_id>
				<pid>31877</pid>
				<type>C</type>
				<process_name>python &amp; co</process_name>
				<used_memory>38110 MiB</used_memory>
			</process_info>
			<process_info>
				<pid>31900</pid>
				<type>C</type>
				<process_name>other</process_name>
				<used_memory>N/A</used_memory>
			</process_info>
		</processes>
	</gpu>
</nvidia_smi_log>
"""


def xml(used="38126 MiB", time="Thu Jul 10 08:20:31 2025"):
    """A document of `-q -x`."""
    return XML.format(used=used, time=time)
