"""`python write_flawed_model.py FOLDER`: makes `FOLDER/base`, the tiny model with a habit to be rid of.

Six of ten answers end in the mark that simulated judges see as a flaw. For tests in other languages. Prints one line of
JSON: the SHA-256 of the chat template.
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from ratchet_trainers.base_model import load_tokenizer, text_sha256
from ratchet_trainers.job_spec import BaseModelSource
from tiny_model import make_base

folder = make_base(Path(sys.argv[1]) / "base", endings=((" (flawed)", 0.6),))
tokenizer = load_tokenizer(BaseModelSource(id="tiny", source=str(folder), sha256=None), None)
sys.stdout.write(json.dumps({"template_sha256": text_sha256(tokenizer.chat_template)}) + "\n")
