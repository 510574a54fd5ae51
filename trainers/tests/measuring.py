"""What measurements have in common: rows of JSON, and a server of a model."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from protocol_server import REPOSITORY


def show(what: str, result: str, *, cpu: float | None, wall: float) -> None:
    row = {"what": what, "cpu_seconds": cpu, "wall_seconds": wall, "result": result}
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    value = work()
    return value, time.process_time() - cpu, time.perf_counter() - wall


def first_and_last(values: dict[int, float]) -> str:
    return f"{values[min(values)]:.2f} → {values[max(values)]:.2f}"


@contextmanager
def served(base: Path, name: str, what: str) -> Iterator[httpx.Client]:
    """Serves a model, and shows how long its start took."""
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY / "trainers" / "src")}
    began_at = time.perf_counter()
    command = [sys.executable, "-m", "ratchet_trainers.serving", str(base), "--name", name, "--port", "0"]
    server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    try:
        url = json.loads(server.stdout.readline())["url"]
        show(what, "", cpu=None, wall=time.perf_counter() - began_at)
        with httpx.Client(base_url=url, timeout=120) as client:
            yield client
    finally:
        server.terminate()
        server.wait(30)


def ask(client: httpx.Client, model: str, question: str) -> str:
    messages = [{"role": "user", "content": question}]
    # Another one for each question: with the same, all answers take the same turn.
    seed = sum(question.encode())
    body = {"model": model, "messages": messages, "max_tokens": 24, "temperature": 1, "seed": seed}
    return client.post("/v1/chat/completions", json=body).raise_for_status().json()["choices"][0]["message"]["content"]
