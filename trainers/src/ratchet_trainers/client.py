"""The calls of the trainer protocol over HTTP, each repeated until it is answered or the lease has ended."""

import hashlib
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx

from .failures import LeaseEnded, Refused, Superseded
from .job_spec import (
    AnySpec,
    BeginReply,
    CommitReply,
    DataReply,
    EventsReply,
    GrpoRewards,
    GrpoRollout,
    GrpoSpec,
    GrpoStepState,
    HeartbeatReply,
    JobSpec,
    ToolAnswer,
    TrainedReply,
)

PREFIX = "/internal/trainer/v1"
FIRST_DELAY_SECONDS = 0.2
MAX_DELAY_SECONDS = 10.0
# Until the specification tells how long a lease is.
FIRST_LEASE_SECONDS = 60.0
CHUNK_BYTES = 1 << 20
# Half of what the service takes, because characters may be written longer on their way.
ROLLOUT_BYTES = 8 << 20
ROLLOUTS_PER_CALL = 256
READ_SECONDS = 120.0
TOOL_SECONDS = 180.0


class TrainerClient:
    """One attempt's connection. Safe to use from several threads."""

    def __init__(self, url: str, token: str) -> None:
        self._token = token
        self._lease_seconds = FIRST_LEASE_SECONDS
        self._lease_ends = time.monotonic() + FIRST_LEASE_SECONDS
        self._http = httpx.Client(base_url=url, timeout=httpx.Timeout(30.0, write=300.0, read=READ_SECONDS))

    def close(self) -> None:
        self._http.close()

    def spec(self) -> JobSpec | GrpoSpec:
        spec = AnySpec.model_validate(self._call("GET", "/spec")).root
        self._lease_seconds = spec.limits.lease_seconds
        self._renew_lease()
        return spec

    def heartbeat(self, body: dict[str, Any]) -> HeartbeatReply:
        """Renews the lease, and the token where the service gives a new one."""
        reply = HeartbeatReply.model_validate(self._call("POST", "/heartbeat", body))
        self._token = reply.token or self._token
        self._renew_lease()
        return reply

    def events(self, from_seq: int, items: list[dict[str, Any]]) -> EventsReply:
        return EventsReply.model_validate(self._call("POST", "/events", {"from_seq": from_seq, "items": items}))

    def data(self, body: dict[str, Any]) -> DataReply:
        return DataReply.model_validate(self._call("POST", "/data", body))

    def begin_checkpoint(self, step: int, files: list[dict[str, Any]]) -> BeginReply:
        return BeginReply.model_validate(self._call("POST", "/checkpoints/begin", {"step": step, "files": files}))

    def commit_checkpoint(self, body: dict[str, Any]) -> CommitReply:
        return CommitReply.model_validate(self._call("POST", "/checkpoints/commit", body))

    def fingerprint(self, body: dict[str, Any]) -> None:
        self._call("POST", "/fingerprint", body)

    def result(self, body: dict[str, Any]) -> None:
        self._call("POST", "/result", body)

    def failure(self, code: str, message: str, *, retryable: bool) -> None:
        self._call("POST", "/failure", {"code": code, "message": message[:2000], "retryable": retryable})

    def stopped(self, reason: str, step: int) -> None:
        self._call("POST", "/stopped", {"reason": reason, "step": step})

    def step(self, step: int, *, wait: int = 0) -> GrpoStepState:
        return GrpoStepState.model_validate(self._call("GET", f"/steps/{step}?wait={wait}"))

    def rollouts(self, step: int, rollouts: list[GrpoRollout]) -> None:
        self._send_rollouts(f"/steps/{step}/rollouts", rollouts)

    def rewards(self, step: int, *, wait: int) -> GrpoRewards:
        return GrpoRewards.model_validate(self._call("GET", f"/steps/{step}/rewards?wait={wait}"))

    def trained(self, step: int, body: dict[str, Any]) -> TrainedReply:
        return TrainedReply.model_validate(self._call("POST", f"/steps/{step}/trained", body))

    def look(self, step: int) -> GrpoStepState:
        return GrpoStepState.model_validate(self._call("GET", f"/looks/{step}"))

    def look_rollouts(self, step: int, rollouts: list[GrpoRollout]) -> None:
        self._send_rollouts(f"/looks/{step}/rollouts", rollouts)

    def _send_rollouts(self, path: str, rollouts: list[GrpoRollout]) -> None:
        """In as many calls as their bytes need. An answer that was stored before stays as it is."""
        part: list[dict[str, Any]] = []
        size = 0
        for rollout in rollouts:
            length = len(rollout.model_dump_json())
            if part and (size + length > ROLLOUT_BYTES or len(part) == ROLLOUTS_PER_CALL):
                self._call("POST", path, {"rollouts": part})
                part, size = [], 0
            part.append(rollout.model_dump())
            size += length
        if part:
            self._call("POST", path, {"rollouts": part})

    def call_tool(self, body: dict[str, Any]) -> ToolAnswer:
        """Has the fleet call a tool, which may take two minutes."""
        return ToolAnswer.model_validate(self._call("POST", "/tools/call", body, read_seconds=TOOL_SECONDS))

    def download(self, url: str, to: Path, *, sha256: str) -> None:
        """Stores a file. Raises `Refused` when the bytes have another hash, or are not to be had."""

        def fetch() -> httpx.Response:
            digest = hashlib.sha256()
            with self._http.stream("GET", url) as response, to.open("wb") as file:
                if response.is_error:
                    response.read()
                    return response
                for chunk in response.iter_bytes(CHUNK_BYTES):
                    digest.update(chunk)
                    file.write(chunk)
            if digest.hexdigest() != sha256:
                raise Refused(HTTPStatus.OK, "wrong_hash", f"{to.name} does not have the hash that was announced.")
            return response

        self._repeat(fetch)

    def upload(self, path: Path, url: str, headers: dict[str, str]) -> None:
        """PUTs a file to the address that `begin_checkpoint` gave. The token is for the service alone."""

        def put() -> httpx.Response:
            with path.open("rb") as file:
                return self._http.put(url, content=file, headers=headers)

        self._repeat(put)

    def _call(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, read_seconds: float = READ_SECONDS
    ) -> Any:
        timeout = httpx.Timeout(30.0, write=300.0, read=read_seconds)

        def send() -> httpx.Response:
            headers = {"authorization": f"Bearer {self._token}"}
            return self._http.request(method, PREFIX + path, json=body, headers=headers, timeout=timeout)

        return self._repeat(send).json()

    def _renew_lease(self) -> None:
        self._lease_ends = time.monotonic() + self._lease_seconds

    def _repeat(self, send: Callable[[], httpx.Response]) -> httpx.Response:
        delay = FIRST_DELAY_SECONDS
        while True:
            try:
                response = send()
            except httpx.TransportError as error:
                problem: str = type(error).__name__
            else:
                if not response.is_error:
                    return response
                problem = str(response.status_code)
                if response.status_code != HTTPStatus.TOO_MANY_REQUESTS and response.is_client_error:
                    raise _refusal(response)
            if time.monotonic() + delay > self._lease_ends:
                raise LeaseEnded(f"No answer within the lease: {problem}")
            time.sleep(delay)
            delay = min(delay * 2, MAX_DELAY_SECONDS)


def _refusal(response: httpx.Response) -> Exception:
    try:
        error = response.json()["error"]
        code, message, details = error["code"], error["message"], error.get("details")
    except (ValueError, KeyError, TypeError):
        code, message, details = "unknown", response.text[:200], None
    if code == "attempt_superseded":
        return Superseded(message)
    return Refused(response.status_code, code, message, details)
