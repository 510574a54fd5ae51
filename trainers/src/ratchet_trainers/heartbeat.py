"""Heartbeats beside the training, and what the service answers to them."""

import importlib.metadata
import threading
from collections.abc import Callable
from typing import Any

from .client import TrainerClient
from .events import Events
from .job_spec import Command

FLUSH_SECONDS = 1.0
# What decides how a model is trained. This program itself is often run from its folder, where it has no version.
CODE_VERSION = " ".join(f"{name} {importlib.metadata.version(name)}" for name in ("trl", "peft", "transformers"))


class Heartbeat:
    """Tells the service how far the attempt is, in a thread of its own, and keeps the newest command."""

    def __init__(self, client: TrainerClient, events: Events, *, seconds: float, step: int) -> None:
        self._client = client
        self._events = events
        self._seconds = seconds
        self._state: dict[str, Any] = {"step": step, "phase": "preparing", "epoch": None, "remaining_seconds": None}
        self._command: Command = "continue"
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._threads: list[threading.Thread] = []
        self._read_gpus: Callable[[], list[dict[str, Any]]] = list

    def start(self, on_end: Callable[[Exception], None]) -> None:
        """Sends the first heartbeat and begins. `on_end` gets the error after which there are no more heartbeats."""
        self._beat()

        def every(seconds: float, act: Callable[[], None]) -> None:
            try:
                while not self._end.wait(seconds):
                    act()
            except Exception as error:
                if not self._end.is_set():
                    on_end(error)

        for seconds, act in ((self._seconds, self._beat), (FLUSH_SECONDS, self._events.flush)):
            thread = threading.Thread(target=every, args=(seconds, act), daemon=True)
            thread.start()
            self._threads.append(thread)

    def watch(self, read_gpus: Callable[[], list[dict[str, Any]]]) -> None:
        """From now on, heartbeats say what the GPUs have left."""
        self._read_gpus = read_gpus

    def finish(self) -> None:
        """Sends the last events and stops. Before the last call of an attempt, since the service may fence it then."""
        self._events.flush()
        self.stop()

    def stop(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def report(self, **state: Any) -> None:
        with self._lock:
            self._state.update(state)

    @property
    def command(self) -> Command:
        with self._lock:
            return self._command

    def checkpoint_is_done(self) -> None:
        """Forgets a command to save. A command to stop stays."""
        with self._lock:
            if self._command == "checkpoint":
                self._command = "continue"

    def _beat(self) -> None:
        with self._lock:
            body = {**self._state, "gpu": self._read_gpus(), "code_version": CODE_VERSION}
        command = self._client.heartbeat(body).command
        with self._lock:
            # A stop that was asked for is not taken back: another attempt will go on.
            if self._command not in ("pause", "cancel"):
                self._command = command
