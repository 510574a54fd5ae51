"""What the service may say of a step instead of having it sampled."""

from typing import Any

import pytest

from ratchet_trainers.grpo.steps import RunFinished, RunStopped, Steps, groups_together
from ratchet_trainers.job_spec import GrpoGroup, GrpoRewards, GrpoStepState


class Service:
    """Answers that a step is in a state, and that its rewards are."""

    def __init__(self, step: str, rewards: str = "judging") -> None:
        self._step = step
        self._rewards = rewards

    def step(self, step: int, *, wait: int = 0) -> GrpoStepState:
        del wait
        return GrpoStepState(step=step, state=self._step, groups=(), rollouts=(), replayed=False)

    def rewards(self, _step: int, *, wait: int) -> GrpoRewards:
        del wait
        return GrpoRewards(state=self._rewards, rewards=())


def play(service: Any) -> None:
    Steps(service, None, wants_to_stop=lambda: False).play(3, 8)


@pytest.mark.parametrize("service", [Service("finish"), Service("judging", "finish")])
def test_a_run_that_ends_with_the_step_before(service: Service) -> None:
    with pytest.raises(RunFinished):
        play(service)


@pytest.mark.parametrize("service", [Service("stop"), Service("judging", "stop")])
def test_a_run_that_goes_no_further_now(service: Service) -> None:
    with pytest.raises(RunStopped):
        play(service)


@pytest.mark.parametrize(("tokens", "samples", "together"), [(128, 4, 8), (2048, 4, 4), (32_768, 4, 1), (128, 64, 1)])
def test_as_many_groups_of_a_look_are_sampled_together_as_their_tokens_allow(
    tokens: int, samples: int, together: int
) -> None:
    group = GrpoGroup.model_construct(group=0, messages=(), tools=None, samples=samples)
    assert groups_together([group] * 64, tokens) == together
