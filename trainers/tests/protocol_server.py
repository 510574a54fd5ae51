"""Starts a server of the real contract, and trainers for it."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

REPOSITORY = Path(__file__).resolve().parents[2]
SERVER = REPOSITORY / "infra" / "src" / "trainers" / "serve-protocol.ts"
PATIENCE_SECONDS = 180


class ProtocolServer:
    """One job, served by Node. Use it with `with`."""

    def __init__(self, folder: Path, spec: dict[str, Any], files: list[Path]) -> None:
        spec_file = folder / f"spec-{time.monotonic_ns()}.json"
        spec_file.write_text(json.dumps(spec))
        self._process = subprocess.Popen(
            [os.environ.get("RATCHET_NODE", "node"), SERVER, spec_file, *files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("The server of the protocol did not start.")
        self.url: str = json.loads(line)["url"]
        self._http = httpx.Client(base_url=self.url, timeout=60)

    def __enter__(self) -> "ProtocolServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()
        self._process.stdin.close()
        self._process.wait(30)

    def new_attempt(self) -> str:
        """Fences all former attempts. Returns the token of the new one."""
        return self._control("attempt")["token"]

    def set(self, **settings: Any) -> None:
        self._control("settings", settings)

    def plant_fault(self, path: str, *, status: int, times: int) -> None:
        self._control("fault", {"path": f"/internal/trainer/v1{path}", "status": status, "times": times})

    def plant_command(self, command: str, *, at_step: int) -> None:
        """Heartbeats are answered with a command from a step on."""
        self._control("settings", {"planted": {"command": command, "step": at_step}})

    def plant_attempt_at(self, path: str) -> None:
        """Another attempt begins just before the next call of a path."""
        self._control("settings", {"supersedeAt": f"/internal/trainer/v1{path}"})

    def plant_lost_uploads(self, times: int) -> None:
        """The store forgets what it was sent, so many times."""
        self._control("settings", {"lostUploads": times})

    def set_spec(self, **changes: Any) -> None:
        """Changes what later attempts are told."""
        self._control("spec", changes)

    def corrupt_file(self, step: int, name: str) -> None:
        """Changes the bytes of a stored file behind its hash."""
        self._control("corrupt", {"step": step, "name": name})

    def forget_after(self, step: int) -> None:
        """Forgets the durable checkpoints of later steps, as if the attempt had ended before them."""
        self._control("forget", {"after": step})

    def stop_run_at(self, step: int) -> None:
        """The run goes no further when this step is asked for."""
        self._control("stop-run", {"step": step})

    def finish_run_before(self, step: int) -> None:
        """The run ends with the step before this one."""
        self._control("finish-run", {"step": step})

    def state(self) -> dict[str, Any]:
        return self._control("state")

    def messages(self) -> list[dict[str, Any]]:
        return [event for _, event in self.state()["events"] if event["type"] == "message"]

    def metrics(self, name: str) -> dict[int, float]:
        """Values of a metric by step. Those of later attempts win."""
        events = [event for _, event in self.state()["events"] if event["type"] == "metrics"]
        return {event["step"]: event["values"][name] for event in events if name in event["values"]}

    def file(self, step: int, name: str) -> bytes:
        files = self.state()["durable"][str(step)]["files"]
        sha256 = next(file["sha256"] for file in files if file["name"] == name)
        return self._http.get(f"/files/{sha256}").raise_for_status().content

    def _control(self, action: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._http.post(f"/control/{action}", json=body or {}).raise_for_status().json()


def start_trainer(server: ProtocolServer, token: str) -> subprocess.Popen:
    """Starts `python -m ratchet_trainers` as the service does."""
    source = str(REPOSITORY / "trainers" / "src")
    env = {**os.environ, "PYTHONPATH": source, "RATCHET_TRAINER_URL": server.url, "RATCHET_JOB_TOKEN": token}
    return subprocess.Popen([sys.executable, "-m", "ratchet_trainers"], env=env)


def eventually(condition: Callable[[], bool], what: str, running: subprocess.Popen | None = None) -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > ends:
            raise AssertionError(f"Not within {PATIENCE_SECONDS} s: {what}")
        if running is not None and running.poll() is not None:
            raise AssertionError(f"The trainer exited with {running.returncode} before: {what}")
        time.sleep(0.05)


def file_entry(path: Path, format_: str) -> dict[str, Any]:
    data = path.read_bytes()
    examples = sum(1 for line in data.splitlines() if line.strip())
    sha256 = hashlib.sha256(data).hexdigest()
    return {"format": format_, "sha256": sha256, "bytes": len(data), "examples": examples, "url": ""}
