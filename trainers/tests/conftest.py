import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Nothing that is tested comes from a hub.
os.environ["HF_HUB_OFFLINE"] = "1"

from pathlib import Path
from typing import Any

import pytest
import torch

from protocol_server import ProtocolServer, file_entry
from ratchet_trainers.client import TrainerClient
from ratchet_trainers.process import run_attempt
from tiny_model import make_base, polite_examples, polite_pairs, questions, write_lines

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base"))


PROBES = [f"I have {number} stones. What is their color?" for number in range(2, 10)]


def limits(lease_seconds: float) -> dict[str, Any]:
    return {
        "heartbeat_seconds": 0.2,
        "lease_seconds": lease_seconds,
        "grace_seconds": 60,
        "max_files": 64,
        "max_file_bytes": 1 << 28,
        "max_checkpoint_bytes": 1 << 29,
        "max_events": 500,
    }


def prompt(question: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": question}]


class Jobs:
    """Makes jobs of a few steps on the tiny model, and runs attempts in this process."""

    def __init__(self, base: Path, folder: Path) -> None:
        self.base = base
        self.folder = folder

    def serve(
        self,
        *,
        kind: str = "supervised",
        train: list[dict] | None = None,
        validation: list[dict] | None = None,
        steps: int = 12,
        batch_size: int = 8,
        settings: dict[str, Any] | None = None,
        plan: dict[str, Any] | None = None,
        lease_seconds: float = 60,
        more_files: list[Path] | None = None,
        **spec: Any,
    ) -> ProtocolServer:
        format_ = "chat" if kind == "supervised" else "preference"
        make = polite_examples if kind == "supervised" else polite_pairs
        train = make(11, steps * batch_size) if train is None else train
        files = [write_lines(self.folder / "train.jsonl", train)]
        if validation is not None:
            files.append(write_lines(self.folder / "validation.jsonl", validation))
        return ProtocolServer(
            self.folder,
            {
                "protocol": 1,
                "job_id": "ftjob-test",
                "kind": kind,
                "base_model": {"id": "tiny/base", "source": str(self.base), "sha256": None},
                "chat_template": None,
                "hyperparameters": {
                    "n_epochs": 1,
                    "batch_size": batch_size,
                    "learning_rate": 5e-3,
                    "lora_rank": 8,
                    "lora_alpha": 16,
                    "beta": 0.1 if kind == "dpo" else None,
                    "max_sequence_length": 128,
                    "on_too_long": "drop",
                    "early_stopping_patience": None,
                    **(settings or {}),
                },
                "seed": 7,
                "dataset": file_entry(files[0], format_),
                "validation": file_entry(files[1], format_) if validation is not None else None,
                "plan": {
                    "total_steps": steps,
                    "total_tokens": 10_000_000,
                    "servable_steps": [steps],
                    "save_every_steps": 4,
                    "save_every_seconds": 3600,
                    **(plan or {}),
                },
                "warm_start": None,
                "limits": limits(lease_seconds),
                "probes": PROBES,
                **spec,
            },
            [*files, *(more_files or [])],
        )

    def serve_run(
        self,
        *,
        steps: int,
        run: dict[str, Any],
        settings: dict[str, Any] | None = None,
        lease_seconds: float = 60,
        **spec: Any,
    ) -> ProtocolServer:
        """Serves a run of GRPO. `run` says how answers are rewarded, see `grpo-steps.ts`."""
        return ProtocolServer(
            self.folder,
            {
                "protocol": 1,
                "job_id": "grpo-test",
                "kind": "grpo",
                "environment": None,
                "base_model": {"id": "tiny/base", "source": str(self.base), "sha256": None},
                "chat_template": None,
                "hyperparameters": {
                    "group_size": 8,
                    "prompts_per_step": 4,
                    "max_steps": steps,
                    "learning_rate": 5e-3,
                    "kl_beta": 0.02,
                    "lora_rank": 8,
                    "lora_alpha": 16,
                    "temperature": 1.0,
                    "top_p": 1.0,
                    "max_output_tokens": 24,
                    "max_context_length": 128,
                    "loss_method": "dapo",
                    "mask_truncated": True,
                    "importance_cap": 2.0,
                    **(settings or {}),
                },
                "seed": 7,
                "prompts_sha256": "0" * 64,
                "plan": {"total_steps": steps},
                "warm_start": None,
                "limits": limits(lease_seconds),
                "probes": PROBES,
                "run": {
                    "prompts": [prompt(question) for question, _ in questions(21, 64)],
                    "look_prompts": [prompt(question) for question, _ in questions(99, 24)],
                    "resample": 0,
                    "save_every": 4,
                    "look_every": steps,
                    **run,
                },
                **spec,
            },
            [],
        )

    def run(self, server: ProtocolServer, token: str | None = None) -> int:
        """Runs an attempt to its end. Returns the exit code."""
        client = TrainerClient(server.url, token or server.new_attempt())
        lost: list[Exception] = []
        work = self.folder / f"work-{os.urandom(4).hex()}"
        work.mkdir()
        try:
            return run_attempt(client, work, is_preempted=lambda: False, on_lost=lost.append)
        finally:
            client.close()


@pytest.fixture
def jobs(base: Path, tmp_path: Path) -> Jobs:
    return Jobs(base, tmp_path)
