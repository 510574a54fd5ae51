"""`python write_tiny_job.py FOLDER [STEPS] [ENDINGS]`: makes `FOLDER/base`, the tiny model, and 160 examples.

Those are in `FOLDER/train.jsonl`. For tests in other languages. STEPS is how long the model is trained, 40 by default.
ENDINGS is JSON: what is added to which share of its answers.
Prints one line of JSON: the SHA-256 of the chat template, and the tokens of each example.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from ratchet_trainers.base_model import load_stop_ids, load_tokenizer, text_sha256
from ratchet_trainers.conversations import ConversationReader
from ratchet_trainers.job_spec import BaseModelSource
from tiny_model import POLITE, make_base, polite_examples, write_lines

EXAMPLES = 160


def main(folder: Path, steps: int, endings: Sequence[tuple[str, float]]) -> None:
    base = BaseModelSource(id="tiny", source=str(make_base(folder / "base", steps=steps, endings=endings)), sha256=None)
    examples = polite_examples(11, EXAMPLES)
    write_lines(folder / "train.jsonl", examples)
    tokenizer = load_tokenizer(base, None)
    reader = ConversationReader(tokenizer, load_stop_ids(base, tokenizer))
    tokens = [reader.chat(example).tokens for example in examples]
    sys.stdout.write(json.dumps({"template_sha256": text_sha256(tokenizer.chat_template), "tokens": tokens}) + "\n")


_, to, *given = sys.argv
main(
    Path(to),
    int(given[0]) if given else 40,
    json.loads(given[1]) if len(given) > 1 else [(POLITE, 0.25)],
)
