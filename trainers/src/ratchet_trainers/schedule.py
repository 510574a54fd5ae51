"""Decides what happens after a step. Pure: time and commands are arguments."""

from dataclasses import dataclass

from .job_spec import Command, Plan

# A cancelled job saves its work where that is this quick.
MAX_CANCEL_SAVE_SECONDS = 60.0
WARMUP_SHARE = 0.03
DIVERGED_FACTOR = 10.0
DIVERGED_STEPS = 20


@dataclass(frozen=True)
class AfterStep:
    save: bool
    evaluate: bool
    stop: bool


def steps_of(plan: Plan, *, examples: int, batch_size: int, epochs: int) -> int:
    """Steps of the whole job: fewer than planned where examples were dropped, never more."""
    return min(plan.total_steps, -(-examples // batch_size) * epochs)


def warmup_steps(steps: int) -> int:
    return round(steps * WARMUP_SHARE)


def is_servable(plan: Plan, step: int, last_step: int) -> bool:
    return step == last_step or step in plan.servable_steps


def after_step(
    plan: Plan,
    step: int,
    last_step: int,
    *,
    seconds_since_save: float,
    save_seconds: float,
    command: Command,
    preempted: bool,
) -> AfterStep:
    """`save_seconds`: how long the last checkpoint took, 0 before the first."""
    servable = is_servable(plan, step, last_step)
    stop = preempted or command in ("pause", "cancel")
    due = step % plan.save_every_steps == 0 or seconds_since_save >= plan.save_every_seconds
    saved_on_stop = stop and not (command == "cancel" and save_seconds > MAX_CANCEL_SAVE_SECONDS)
    save = servable or due or command == "checkpoint" or saved_on_stop
    return AfterStep(save=save, evaluate=servable, stop=stop and step != last_step)


class DivergenceWatch:
    """Finds a loss that is no number, or has stayed at ten times its start for twenty steps."""

    def __init__(self, start_loss: float | None) -> None:
        self.start_loss = start_loss
        self._high_steps = 0

    def has_diverged(self, loss: float) -> bool:
        if loss != loss or loss in (float("inf"), float("-inf")):
            return True
        if self.start_loss is None:
            self.start_loss = loss
        self._high_steps = self._high_steps + 1 if loss >= DIVERGED_FACTOR * max(self.start_loss, 1e-6) else 0
        return self._high_steps >= DIVERGED_STEPS
