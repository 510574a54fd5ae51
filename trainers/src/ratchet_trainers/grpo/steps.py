"""Gets the steps of a run done: what is stored is read, what is missing is sampled, and the fleet rewards it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..client import TrainerClient
from ..job_spec import GrpoGroup, GrpoReward, GrpoRollout, GrpoStepState
from .policy import Place, Policy

# The service answers earlier when something happens.
WAIT_SECONDS = 20

# Answers of a look that are sampled together at most, and tokens of them and their prompts: what their memory costs.
MAX_TOGETHER = 32
MAX_TOKENS_TOGETHER = 32_768


class RunStopped(Exception):  # noqa: N818
    """The run goes no further now: the service says so, or the attempt was asked to stop."""


class RunFinished(Exception):  # noqa: N818
    """The run ends with the last step that was trained."""


@dataclass(frozen=True)
class Row:
    """An answer that is trained on, or that fills a step up."""

    prompt_ids: list[int]
    rollout: GrpoRollout
    reward: GrpoReward


class Steps:
    def __init__(self, client: TrainerClient, policy: Policy, *, wants_to_stop: Callable[[], bool]) -> None:
        self._client = client
        self._policy = policy
        self._wants_to_stop = wants_to_stop

    def play(self, step: int, rows: int) -> list[Row]:
        """The answers of a step, those that are used first, `rows` in all.

        Raises `RunStopped`, `RunFinished` or `JobFailure`.
        """
        sampled: dict[Place, GrpoRollout] = {}
        while True:
            state = self._state(step)
            stored = {_place(rollout) for rollout in state.rollouts}
            if state.state == "sample":
                for rollout in self._sample("step", step, state.groups, stored | sampled.keys()):
                    sampled[_place(rollout)] = rollout
            rewards = self._rewards(step)
            if rewards is not None:
                return self._rows(state, sampled, rewards, rows)

    def look(self, step: int) -> None:
        """Answers the prompts that are never trained on, if the service asks for that."""
        state = self._client.look(step)
        if state.state == "sample":
            self._sample("look", step, state.groups, {_place(rollout) for rollout in state.rollouts})

    def _state(self, step: int) -> GrpoStepState:
        while True:
            self._stop_if_asked()
            state = self._client.step(step, wait=WAIT_SECONDS)
            _go_on(state.state)
            if state.state != "wait":
                return state

    def _sample(
        self, kind: str, step: int, groups: Sequence[GrpoGroup], known: set[Place] | frozenset[Place]
    ) -> list[GrpoRollout]:
        """Sends answers as soon as they are there."""
        send = self._client.look_rollouts if kind == "look" else self._client.rollouts
        # The groups of a step are sampled one by one, because others may take the place of some. Those of a look stay.
        together = groups_together(groups, self._policy.most_tokens(groups)) if kind == "look" else 1
        all_sampled: list[GrpoRollout] = []
        for part in _parts(groups, together):
            places = [(group.group, index) for group in part for index in range(group.samples)]
            wanted = [place for place in places if place not in known]
            if wanted:
                self._stop_if_asked()
                sampled = self._policy.answer(kind, step, part, wanted)
                send(step, sampled)
                all_sampled.extend(sampled)
        return all_sampled

    def _rewards(self, step: int) -> dict[Place, GrpoReward] | None:
        """Null: further answers are wanted."""
        while True:
            self._stop_if_asked()
            reply = self._client.rewards(step, wait=WAIT_SECONDS)
            _go_on(reply.state)
            if reply.state == "sample":
                return None
            if reply.state == "rewarded":
                return {(reward.group, reward.index): reward for reward in reply.rewards}

    def _rows(
        self,
        state: GrpoStepState,
        sampled: dict[Place, GrpoRollout],
        rewards: dict[Place, GrpoReward],
        rows: int,
    ) -> list[Row]:
        known = sampled | {_place(rollout): rollout for rollout in state.rollouts}
        if not rewards.keys() <= known.keys():
            state = self._client.step(state.step)
            known |= {_place(rollout): rollout for rollout in state.rollouts}
        prompts = {group.group: self._policy.prompt_ids(group) for group in state.groups}
        all_rows = [Row(prompts[place[0]], known[place], reward) for place, reward in sorted(rewards.items())]
        # A stable order: the groups that are used, by number, then the others.
        return sorted(all_rows, key=lambda row: not row.reward.used)[:rows]

    def _stop_if_asked(self) -> None:
        if self._wants_to_stop():
            raise RunStopped


def groups_together(groups: Sequence[GrpoGroup], most_tokens: int) -> int:
    """How many groups of a look are sampled together. The same in every attempt: what is sampled follows from it."""
    samples = max((group.samples for group in groups), default=1)
    answers = min(MAX_TOGETHER, MAX_TOKENS_TOGETHER // most_tokens)
    return max(1, answers // samples)


def _parts(groups: Sequence[GrpoGroup], size: int) -> Iterator[Sequence[GrpoGroup]]:
    return (groups[start : start + size] for start in range(0, len(groups), size))


def _go_on(state: str) -> None:
    if state == "stop":
        raise RunStopped
    if state == "finish":
        raise RunFinished


def _place(rollout: GrpoRollout) -> Place:
    return rollout.group, rollout.index
