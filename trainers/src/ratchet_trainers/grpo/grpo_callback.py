"""Follows a run: reports what a step trained on, and saves, looks and stops when the service says so."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from ..client import TrainerClient
from ..events import Events
from ..failures import JobFailure
from ..heartbeat import Heartbeat
from ..job_spec import TrainedReply
from ..schedule import MAX_CANCEL_SAVE_SECONDS

# Names of the protocol, by TRL's.
STATS = {
    "loss": "loss",
    "kl": "kl",
    "entropy": "entropy",
    "clip_ratio": "clip_ratio/region_mean",
    "grad_norm": "grad_norm",
}


class GrpoCallback(TrainerCallback):
    """`measured` returns the tokens of the last step, and the mean and the maximum of its logprob gaps."""

    def __init__(
        self,
        client: TrainerClient,
        *,
        events: Events,
        heartbeat: Heartbeat,
        is_preempted: Callable[[], bool],
        measured: Callable[[], tuple[int, tuple[float, float]]],
        look: Callable[[int], None],
        save: Callable[[Path, int], None],
    ) -> None:
        self._client = client
        self._events = events
        self._heartbeat = heartbeat
        self._is_preempted = is_preempted
        self._measured = measured
        self._look = look
        self._save = save
        self._save_seconds = 0.0
        self._reply: TrainedReply | None = None
        self.step = 0
        """The last step that is trained and reported."""
        self.saved_step = 0
        self.is_finished = False
        self.tokens = 0

    def on_train_begin(self, _args: TrainingArguments, state: TrainerState, _control: TrainerControl, **_: Any) -> None:
        self.step = self.saved_step = state.global_step
        self._look(state.global_step)

    def on_log(
        self,
        _args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        logs = logs or {}
        if "loss" not in logs:
            return
        step = state.global_step
        if not math.isfinite(logs["loss"]):
            raise JobFailure("diverged", f"The loss diverged at step {step}. Try a lower learning rate.")
        tokens, (mean, largest) = self._measured()
        stats = {name: _finite(logs.get(key)) for name, key in STATS.items()}
        stats |= {"logprob_gap_mean": _finite(mean), "logprob_gap_max": _finite(largest)}
        self._heartbeat.report(phase="training", step=step)
        # An attempt that goes on from here does not report the steps before it again.
        self._events.flush()
        self._reply = self._client.trained(step, {"trained_tokens": tokens, "stats": stats})
        self.step = step
        self.tokens += tokens
        command = self._heartbeat.command
        stops = self._is_preempted() or command in ("pause", "cancel")
        saves_on_stop = stops and not (command == "cancel" and self._save_seconds > MAX_CANCEL_SAVE_SECONDS)
        control.should_save = self._reply.save or command == "checkpoint" or saves_on_stop
        if stops:
            control.should_training_stop = True
        if not control.should_save:
            self._after_checkpoint(control)

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self.store(Path(args.output_dir) / f"checkpoint-{state.global_step}", state.global_step)
        self._after_checkpoint(control)

    def store(self, folder: Path, step: int) -> None:
        """Makes a checkpoint of this step durable."""
        began_at = time.monotonic()
        self._heartbeat.report(phase="uploading")
        self._save(folder, step)
        self._heartbeat.checkpoint_is_done()
        self._heartbeat.report(phase="training")
        self.saved_step = step
        self._save_seconds = time.monotonic() - began_at

    def _after_checkpoint(self, control: TrainerControl) -> None:
        reply, self._reply = self._reply, None
        if reply is None:
            return
        if reply.look:
            self._look(self.step)
        if reply.finish:
            self.is_finished = True
            control.should_training_stop = True


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
