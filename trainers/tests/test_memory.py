"""Where the memory of a process is limited, as the service limits it."""

import subprocess
import sys

import pytest

from protocol_server import REPOSITORY

ALLOCATES = """
import resource, torch
from ratchet_trainers.memory import is_out_of_memory
used = int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1]) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (used + (256 << 20),) * 2)
torch.ones(16 << 20)
try:
    torch.ones(1 << 30)
except Exception as error:
    assert is_out_of_memory(error), error
else:
    raise AssertionError("no limit")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what a process can fill")
def test_reaching_the_limit_of_a_process_is_seen_as_too_little_memory() -> None:
    assert (
        subprocess.run(
            [sys.executable, "-c", ALLOCATES], env={"PYTHONPATH": "src"}, cwd=REPOSITORY / "trainers", check=False
        ).returncode
        == 0
    )
