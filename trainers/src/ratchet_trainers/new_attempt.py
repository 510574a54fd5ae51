"""Makes the attempt that a specification asks for. Importing this loads PyTorch, which takes a while."""

from pathlib import Path
from typing import Any

from transformers.utils.logging import disable_progress_bar

from .any_attempt import AnyAttempt
from .attempt import Attempt
from .client import TrainerClient
from .gpus import read_gpus
from .grpo.grpo_attempt import GrpoAttempt
from .heartbeat import Heartbeat
from .job_spec import GrpoSpec, JobSpec


def new_attempt(
    client: TrainerClient, spec: JobSpec | GrpoSpec, work: Path, *, heartbeat: Heartbeat, **parts: Any
) -> AnyAttempt:
    disable_progress_bar()
    heartbeat.watch(read_gpus)
    kind = GrpoAttempt if isinstance(spec, GrpoSpec) else Attempt
    return kind(client, spec, work, heartbeat=heartbeat, **parts)
