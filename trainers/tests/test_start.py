"""The service hears of an attempt before PyTorch is loaded."""

import os
import subprocess
import sys

LISTED = "import sys, ratchet_trainers.process; print(sorted({'torch', 'transformers'} & set(sys.modules)))"


def test_nothing_heavy_is_loaded_before_the_first_heartbeat():
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    shown = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, check=True, text=True, env=env)
    assert shown.stdout == "[]\n"
