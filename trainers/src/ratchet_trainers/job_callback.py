"""Follows a training run: saves, reports and stops it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from .events import Events
from .failures import JobFailure
from .heartbeat import Heartbeat
from .job_spec import JobSpec
from .schedule import DivergenceWatch, after_step

# Times and speeds that transformers logs beside its values.
_NOT_METRICS = ("epoch", "total_flos", "runtime", "per_second", "num_tokens", "step_time")


class SavesCheckpoints(Protocol):
    def __call__(self, folder: Path, step: int, epoch: float | None, metrics: dict[str, float]) -> bool:
        """Makes a checkpoint durable. Returns whether the job ends here."""


@dataclass
class Progress:
    """Where the run is. Kept over an attempt's trainers, and over attempts in the checkpoints."""

    micro_batch: int
    watch: DivergenceWatch
    step: int = 0
    best_step: int | None = None
    best_loss: float | None = None
    evaluations_without_gain: int = 0
    stopped: str | None = None
    """`pause`, `cancel`, `preempted`, `early_stopping` or `max_cost`, once the run was stopped."""
    metrics: dict[str, float] = field(default_factory=dict)

    def learn(self, step: int, valid_loss: float) -> None:
        if self.best_loss is None or valid_loss < self.best_loss:
            self.best_step, self.best_loss, self.evaluations_without_gain = step, valid_loss, 0
        else:
            self.evaluations_without_gain += 1

    def is_past_best(self, patience: int | None) -> bool:
        return patience is not None and self.evaluations_without_gain >= patience


class JobCallback(TrainerCallback):
    def __init__(
        self,
        spec: JobSpec,
        progress: Progress,
        last_step: int,
        *,
        has_validation: bool,
        events: Events,
        heartbeat: Heartbeat,
        is_preempted: Callable[[], bool],
        save: SavesCheckpoints,
    ) -> None:
        self._spec = spec
        self._progress = progress
        self._last_step = last_step
        self._events = events
        self._heartbeat = heartbeat
        self._is_preempted = is_preempted
        self._save = save
        self._has_validation = has_validation
        self._save_seconds = 0.0
        self._saved_at = self._began_at = time.monotonic()
        self._began_at_step = progress.step

    def on_train_begin(
        self, _args: TrainingArguments, _state: TrainerState, _control: TrainerControl, **_: Any
    ) -> None:
        self._saved_at = self._began_at = time.monotonic()

    def on_step_end(self, _args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        step = state.global_step
        self._progress.step = step
        self._heartbeat.report(phase="training", step=step, epoch=state.epoch, remaining_seconds=self._remaining(step))
        command, preempted = self._heartbeat.command, self._is_preempted()
        then = after_step(
            self._spec.plan,
            step,
            self._last_step,
            seconds_since_save=time.monotonic() - self._saved_at,
            save_seconds=self._save_seconds,
            command=command,
            preempted=preempted,
        )
        control.should_save = then.save
        control.should_evaluate = then.evaluate and self._has_validation
        if then.stop:
            self._stop(control, command if command in ("pause", "cancel") else "preempted")

    def on_log(
        self,
        _args: TrainingArguments,
        state: TrainerState,
        _control: TrainerControl,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        values = metrics_of(logs or {})
        if not values:
            return
        self._progress.metrics.update(values)
        self._events.metrics(state.global_step, values)
        if "train_loss" in values and self._progress.watch.has_diverged(values["train_loss"]):
            raise JobFailure("diverged", f"The loss diverged at step {state.global_step}. Try a lower learning rate.")

    def on_evaluate(
        self,
        _args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        self._progress.learn(state.global_step, (metrics or {})["eval_loss"])
        early = self._progress.is_past_best(self._spec.hyperparameters.early_stopping_patience)
        if early and state.global_step != self._last_step:
            self._stop(control, "early_stopping")

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        began_at = time.monotonic()
        step = state.global_step
        folder = Path(args.output_dir) / f"checkpoint-{step}"
        self._heartbeat.report(phase="uploading")
        ends = self._save(folder, step, state.epoch, dict(self._progress.metrics))
        self._heartbeat.checkpoint_is_done()
        self._heartbeat.report(phase="training")
        self._saved_at = time.monotonic()
        self._save_seconds = self._saved_at - began_at
        if ends and step != self._last_step:
            self._stop(control, "max_cost")

    def _stop(self, control: TrainerControl, reason: str) -> None:
        # What ends the job is said, also where it was asked to pause as well.
        if self._progress.stopped not in ("early_stopping", "max_cost"):
            self._progress.stopped = reason
        control.should_training_stop = True

    def _remaining(self, step: int) -> float | None:
        done = step - self._began_at_step
        if done < 1:
            return None
        return (time.monotonic() - self._began_at) / done * (self._last_step - step)


def metrics_of(logs: dict[str, float]) -> dict[str, float]:
    """Values by the names of the protocol: `train_…` and `valid_…`; rate and norm as they are."""
    if "train_runtime" in logs:
        return {}
    values = {}
    for name, value in logs.items():
        if any(part in name for part in _NOT_METRICS):
            continue
        if name in ("learning_rate", "grad_norm"):
            values[name] = value
        elif name.startswith("eval_"):
            values[f"valid_{name.removeprefix('eval_')}"] = value
        else:
            values[f"train_{name}"] = value
    return values
