"""`python -m ratchet_trainers.serving MODEL --name NAME`: serves a base model, and adapters for it.

Prints its address as a line of JSON once it is ready. Adapters are loaded from any folder that a caller names, so the
port must not be reachable from elsewhere.
"""

import argparse
import json
import os
import sys
import threading

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from transformers.utils.logging import disable_progress_bar

from .engine import Engine
from .server import make_server

parser = argparse.ArgumentParser(prog="ratchet_trainers.serving", description="Serves a model and its adapters.")
parser.add_argument("model", help="a folder, a GGUF file, or a name on the hub")
parser.add_argument("--name", help="the name of the model in requests; by default as it was given")
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--port", type=int, default=8000)
parser.add_argument("--until-closed", action="store_true", help="ends when its input is closed: its parent has died")
arguments = parser.parse_args()
disable_progress_bar()
server = make_server(Engine(arguments.model, arguments.name or arguments.model), arguments.host, arguments.port)
sys.stdout.write(json.dumps({"url": f"http://{arguments.host}:{server.server_address[1]}"}) + "\n")
sys.stdout.flush()


def end_with_input() -> None:
    sys.stdin.buffer.read()
    server.shutdown()


if arguments.until_closed:
    threading.Thread(target=end_with_input, daemon=True).start()
try:
    server.serve_forever()
except KeyboardInterrupt:
    server.server_close()
