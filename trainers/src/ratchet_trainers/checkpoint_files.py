"""The files of a checkpoint: which of a folder of `transformers` are kept, sent to the store, and taken from it."""

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from .client import TrainerClient
from .failures import JobFailure, Refused
from .job_spec import CommitReply, Limits, StoredFile
from .state_files import pack_state, unpack_state

ADAPTER_FILES = (
    "adapter_model.safetensors",
    "adapter_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "chat_template.jinja",
)
TRAINER_STATE = "trainer_state.json"
JOB_STATE = "job_state.json"
UPLOAD_TRIES = 3


@dataclass(frozen=True)
class JobState:
    """What this trainer must know of earlier attempts, beside the state of `transformers`."""

    trained_tokens: int
    micro_batch: int
    start_loss: float | None
    best_step: int | None
    best_loss: float | None
    evaluations_without_gain: int
    template_sha256: str


def stage_checkpoint(folder: Path, to: Path, *, base_model: str, state: JobState) -> list[dict[str, Any]]:
    """Copies what is kept of a checkpoint folder. Returns the manifest's files: name, kind, sha256, bytes."""
    to.mkdir(parents=True)
    adapter = [Path(shutil.copy(folder / name, to)) for name in ADAPTER_FILES if (folder / name).exists()]
    _write_adapter_config(to / "adapter_config.json", base_model)
    # The log is kept by the service, and would make the file grow with every step.
    trainer_state = {**json.loads((folder / TRAINER_STATE).read_text()), "log_history": []}
    (to / TRAINER_STATE).write_text(json.dumps(trainer_state, sort_keys=True))
    (to / JOB_STATE).write_text(json.dumps(asdict(state), sort_keys=True))
    kept = [to / TRAINER_STATE, to / JOB_STATE, *pack_state(folder, to)]
    return [*(_entry(path, "adapter") for path in adapter), *(_entry(path, "state") for path in kept)]


def store_checkpoint(
    client: TrainerClient, folder: Path, files: list[dict[str, Any]], limits: Limits, commit: dict[str, Any]
) -> CommitReply:
    """Uploads a staged checkpoint and commits it. Returns when it is durable."""
    _require_fitting(files, limits)
    for attempt in range(UPLOAD_TRIES):
        try:
            for upload in client.begin_checkpoint(commit["step"], files).uploads:
                if upload.url is not None:
                    client.upload(folder / upload.name, upload.url, upload.headers)
            return client.commit_checkpoint(commit)
        except Refused as refusal:
            # An address that has expired, or bytes that did not arrive.
            again = refusal.code == "checkpoint_incomplete" or refusal.status == HTTPStatus.FORBIDDEN
            if not again or attempt == UPLOAD_TRIES - 1:
                raise
    raise AssertionError("unreachable")


def fetch_files(client: TrainerClient, files: tuple[StoredFile, ...], to: Path) -> Path:
    """Downloads stored files into a new folder. Raises `JobFailure` where one is not to be had."""
    to.mkdir(parents=True)
    for file in files:
        if Path(file.name).name != file.name:
            raise JobFailure("artifact_unavailable", "A stored file has a name that is not allowed.")
        try:
            client.download(file.url, to / file.name, sha256=file.sha256)
        except Refused as refusal:
            raise JobFailure("artifact_unavailable", "A stored file could not be read.", retryable=True) from refusal
    return to


def fetch_checkpoint(client: TrainerClient, files: tuple[StoredFile, ...], to: Path) -> JobState:
    """Downloads a checkpoint so that `transformers` can resume from the folder."""
    fetch_files(client, files, to)
    unpack_state(to)
    return JobState(**json.loads((to / JOB_STATE).read_text()))


def _write_adapter_config(path: Path, base_model: str) -> None:
    """The same bytes in every process: the names of layers are a set. The base has its catalog's name, not a path."""
    config = json.loads(path.read_text())
    config["base_model_name_or_path"] = base_model
    if isinstance(config.get("target_modules"), list):
        config["target_modules"].sort()
    path.write_text(json.dumps(config, sort_keys=True, indent=2))


def _entry(path: Path, kind: str) -> dict[str, Any]:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "kind": kind, "sha256": sha256, "bytes": path.stat().st_size}


def _require_fitting(files: list[dict[str, Any]], limits: Limits) -> None:
    sizes = [file["bytes"] for file in files]
    if len(sizes) > limits.max_files or max(sizes) > limits.max_file_bytes or sum(sizes) > limits.max_checkpoint_bytes:
        raise JobFailure("internal_error", "A checkpoint of this job is larger than the store allows.")
