"""Answers are sent in as many calls as their number and their bytes need."""

from typing import Any

from ratchet_trainers.client import ROLLOUT_BYTES, ROLLOUTS_PER_CALL, TrainerClient
from ratchet_trainers.job_spec import GrpoRollout


class RecordingClient(TrainerClient):
    """Notes the calls in place of making them."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:1", "token")
        self.calls: list[tuple[str, list[int]]] = []

    def _call(self, method: str, path: str, body: Any = None, **_others: Any) -> Any:
        self.calls.append((f"{method} {path}", [each["index"] for each in body["rollouts"]]))


def answer(index: int, length: int) -> GrpoRollout:
    return GrpoRollout(
        group=0,
        index=index,
        completion=({"role": "assistant", "content": "x" * length},),
        token_ids=(),
        logprobs=(),
        token_mask=None,
        sampled_tokens=0,
        truncated=False,
        entropy=None,
        adapter_version=0,
    )


def test_long_answers_are_sent_in_parts() -> None:
    client = RecordingClient()
    client.rollouts(3, [answer(index, ROLLOUT_BYTES * 2 // 5) for index in range(5)])
    assert client.calls == [("POST /steps/3/rollouts", indexes) for indexes in ([0, 1], [2, 3], [4])]


def test_many_answers_are_sent_in_parts() -> None:
    client = RecordingClient()
    client.look_rollouts(0, [answer(index, 1) for index in range(ROLLOUTS_PER_CALL + 1)])
    assert [len(indexes) for _, indexes in client.calls] == [ROLLOUTS_PER_CALL, 1]


def test_one_answer_is_one_call() -> None:
    client = RecordingClient()
    client.rollouts(1, [answer(0, ROLLOUT_BYTES * 2)])
    assert len(client.calls) == 1
