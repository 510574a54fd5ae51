"""Decisions after a step, as functions of values."""

import math

import pytest

from ratchet_trainers.job_callback import metrics_of
from ratchet_trainers.job_spec import Plan
from ratchet_trainers.memory import first_micro_batch, largest_divisor
from ratchet_trainers.schedule import AfterStep, DivergenceWatch, after_step, steps_of, warmup_steps

PLAN = Plan(total_steps=100, total_tokens=1, servable_steps=(50, 100), save_every_steps=20, save_every_seconds=300)
QUIET = {"seconds_since_save": 1.0, "save_seconds": 0.0, "command": "continue", "preempted": False}
SAVE = AfterStep(save=True, evaluate=False, stop=False)


@pytest.mark.parametrize(
    ("step", "given", "expected"),
    [
        (7, {}, AfterStep(save=False, evaluate=False, stop=False)),
        (20, {}, SAVE),
        (50, {}, AfterStep(save=True, evaluate=True, stop=False)),
        (7, {"seconds_since_save": 300.0}, SAVE),
        (7, {"command": "checkpoint"}, SAVE),
        (7, {"command": "pause"}, AfterStep(save=True, evaluate=False, stop=True)),
        (7, {"preempted": True}, AfterStep(save=True, evaluate=False, stop=True)),
        (7, {"command": "cancel", "save_seconds": 59.0}, AfterStep(save=True, evaluate=False, stop=True)),
        (7, {"command": "cancel", "save_seconds": 61.0}, AfterStep(save=False, evaluate=False, stop=True)),
        # The job is done: whoever asked it to stop gets its result.
        (100, {"command": "pause"}, AfterStep(save=True, evaluate=True, stop=False)),
    ],
)
def test_what_follows_a_step(step: int, given: dict, expected: AfterStep) -> None:
    assert after_step(PLAN, step, 100, **{**QUIET, **given}) == expected


def test_dropped_examples_shorten_a_job_and_nothing_makes_it_longer() -> None:
    assert steps_of(PLAN, examples=81, batch_size=8, epochs=2) == 22
    assert steps_of(PLAN, examples=10_000, batch_size=8, epochs=2) == 100
    assert (warmup_steps(12), warmup_steps(100)) == (0, 3)


def test_a_loss_has_diverged_after_twenty_high_steps_or_without_a_number() -> None:
    watch = DivergenceWatch(None)
    assert not watch.has_diverged(0.5)
    assert [watch.has_diverged(5.0) for _ in range(19)] == [False] * 19
    assert not watch.has_diverged(4.9)
    assert [watch.has_diverged(5.0) for _ in range(20)] == [False] * 19 + [True]
    assert DivergenceWatch(1.0).has_diverged(math.nan)
    assert DivergenceWatch(None).has_diverged(math.inf)


def test_sequences_at_once_divide_the_batch() -> None:
    assert [first_micro_batch(batch) for batch in (1, 7, 8, 12, 64)] == [1, 7, 8, 6, 8]
    assert [largest_divisor(12, most) for most in (5, 3, 0)] == [4, 3, 1]


def test_values_have_the_names_of_the_protocol() -> None:
    logs = {"loss": 1.0, "grad_norm": 2.0, "learning_rate": 3.0, "epoch": 1.0, "mean_token_accuracy": 0.5}
    assert metrics_of(logs) == {
        "train_loss": 1.0,
        "grad_norm": 2.0,
        "learning_rate": 3.0,
        "train_mean_token_accuracy": 0.5,
    }
    assert metrics_of({"eval_loss": 1.0, "eval_runtime": 2.0, "eval_samples_per_second": 3.0}) == {"valid_loss": 1.0}
    assert metrics_of({"train_runtime": 1.0, "train_loss": 2.0}) == {}
