"""`python -m ratchet_trainers`: one attempt at the job of `RATCHET_JOB_TOKEN`, then exit.

Exit codes: 0 the job is done, its failure is reported, or another attempt has taken over · 75 stopped when asked to ·
1 lost, so the service starts another attempt.
"""

import logging
import os
import sys

# Read when torch is loaded. On a shared machine, threads that spin make a step ten times as slow.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# An attempt has one GPU. Whoever starts several on a machine says which.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")

from .process import run_process

logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
logging.getLogger("httpx").setLevel(logging.WARNING)
sys.exit(run_process(os.environ))
