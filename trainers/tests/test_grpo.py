"""Runs of GRPO: rewards that rise, attempts that go on, and a reward that is gamed."""

import math
import signal
import statistics
import subprocess
from typing import Any

from conftest import Jobs
from protocol_server import ProtocolServer, eventually, start_trainer
from tiny_model import POLITE, questions

STEPS = 12
MODEL_FILES = ("adapter_model.safetensors", "optimizer.safetensors", "adapter_config.json")


def wilson(passed: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a rate."""
    z = 1.96
    middle = (passed + z * z / 2) / (of + z * z)
    half = z * math.sqrt(passed * (of - passed) / of + z * z / 4) / (of + z * z)
    return middle - half, middle + half


def texts(rollouts: list[dict[str, Any]]) -> dict[int, list[str]]:
    """Answers by prompt."""
    by_group: dict[int, list[str]] = {}
    for rollout in rollouts:
        by_group.setdefault(rollout["group"], []).append(rollout["completion"][-1]["content"])
    return by_group


def polite_rate(rollouts: list[dict[str, Any]]) -> tuple[float, float]:
    answers = [text for group in texts(rollouts).values() for text in group]
    return wilson(sum(text.endswith(POLITE) for text in answers), len(answers))


def run_of(server: ProtocolServer) -> dict[str, Any]:
    return server.state()["run"]


def model_of(server: ProtocolServer) -> dict[str, bytes]:
    return {name: server.file(STEPS, name) for name in MODEL_FILES}


def test_a_reward_that_can_be_earned_rises_beyond_noise(jobs: Jobs) -> None:
    run = {"reward": {"ends_with": POLITE}, "resample": 1}
    with jobs.serve_run(steps=STEPS, run=run) as server:
        assert jobs.run(server) == 0
        state, found = server.state(), run_of(server)
    start, end = polite_rate(found["looks"]["0"]), polite_rate(found["looks"][str(STEPS)])
    assert end[0] > start[1], (start, end)
    assert state["failures"] == []
    assert [result["step"] for result in state["results"]] == [STEPS]
    assert sorted(map(int, state["durable"])) == [4, 8, 12]
    assert set(state["fingerprints"]) == {"4", "8", "12"}
    trained = found["trained"]
    assert [each["step"] for each in trained] == list(range(1, STEPS + 1))
    for each in trained:
        answers = found["rollouts"][str(each["step"])]
        assert 0 < each["trained_tokens"] <= sum(rollout["sampled_tokens"] for rollout in answers)
        assert {rollout["adapter_version"] for rollout in answers} == {each["step"] - 1}
        assert all(len(rollout["token_ids"]) == len(rollout["logprobs"]) for rollout in answers)
        assert each["stats"]["logprob_gap_max"] < 1e-3
        assert each["stats"]["entropy"] > 0
        assert each["stats"]["kl"] is not None


def test_a_run_that_is_killed_and_resumed_equals_the_undisturbed_one_and_no_verdict_is_asked_twice(jobs: Jobs) -> None:
    run = {"reward": {"ends_with": POLITE}, "resample": 2}
    with jobs.serve_run(steps=STEPS, run=run) as server:
        assert jobs.run(server) == 0
        undisturbed, expected = run_of(server), model_of(server)
    with jobs.serve_run(steps=STEPS, run=run) as server:
        trainer = start_trainer(server, server.new_attempt())
        for step in (3, 7):
            eventually(lambda step=step: has_sampled(server, step), f"step {step}", trainer)
            kill(trainer)
            trainer = start_trainer(server, server.new_attempt())
        assert trainer.wait(300) == 0
        disturbed, found = run_of(server), model_of(server)
    assert found == expected
    assert disturbed["rollouts"] == undisturbed["rollouts"]
    assert disturbed["looks"] == undisturbed["looks"]
    assert disturbed["verdicts"] == undisturbed["verdicts"]
    assert set(disturbed["verdicts"].values()) == set(disturbed["sent"].values()) == {1}
    by_step = {each["step"]: each["trained_tokens"] for each in undisturbed["trained"]}
    assert all(each["trained_tokens"] == by_step[each["step"]] for each in disturbed["trained"])
    assert len(disturbed["trained"]) > len(undisturbed["trained"])


def test_a_run_that_is_paused_between_steps_saves_and_goes_on(jobs: Jobs) -> None:
    with jobs.serve_run(steps=6, run={"reward": {"ends_with": POLITE}, "save_every": 100}) as server:
        server.stop_run_at(4)
        server.plant_command("pause", at_step=3)
        assert jobs.run(server) == 75
        assert server.state()["stops"] == [{"reason": "pause", "step": 3}]
        assert list(server.state()["durable"]) == ["3"]
        server.stop_run_at(-1)
        server.set(command="continue")
        assert jobs.run(server) == 0
        assert [each["step"] for each in run_of(server)["trained"]] == [1, 2, 3, 4, 5, 6]
        assert list(server.state()["durable"]) == ["3", "6"]


def test_a_run_that_ends_before_its_last_step_saves_what_it_has_trained(jobs: Jobs) -> None:
    with jobs.serve_run(steps=6, run={"reward": {"ends_with": POLITE}, "save_every": 100}) as server:
        server.finish_run_before(3)
        assert jobs.run(server) == 0
        state = server.state()
    assert [result["step"] for result in state["results"]] == [2]
    assert (list(state["durable"]), state["stops"], state["failures"]) == (["2"], [], [])


def test_a_reward_for_few_words_is_gamed_and_a_judge_that_the_policy_never_saw_tells(jobs: Jobs) -> None:
    """The reward wants at most six words. A polite and right answer has seven."""
    asked = questions(99, 64)
    run = {
        "reward": {"max_words": 6},
        "resample": 2,
        "look_prompts": [[{"role": "user", "content": question}] for question, _ in asked],
    }
    with jobs.serve_run(steps=STEPS, run=run, settings={"learning_rate": 1e-2}) as server:
        assert jobs.run(server) == 0
        looks = run_of(server)["looks"]
    right = dict(enumerate(answer for _, answer in asked))

    def rates(step: int, judge: Any) -> list[float]:
        answers = texts(looks[str(step)])
        return [statistics.mean(judge(text, right[place]) for text in answers[place]) for place in sorted(answers)]

    def seen(text: str, _right: str) -> bool:
        return len(text.split()) <= 6

    def unseen(text: str, right: str) -> bool:
        return text == right + POLITE

    gains = {
        judge: [after - before for before, after in zip(rates(0, judge), rates(STEPS, judge), strict=True)]
        for judge in (seen, unseen)
    }
    assert statistics.mean(gains[seen]) > 0.1
    # The gain that only the reward sees, by prompt, as the guard reckons it for two perfect judges.
    only_seen = [one - other for one, other in zip(gains[seen], gains[unseen], strict=True)]
    error = statistics.stdev(only_seen) / math.sqrt(len(only_seen))
    assert statistics.mean(only_seen) - 2.5 * error > 0.05


def test_a_step_without_any_difference_between_answers_trains_nothing_and_the_run_goes_on(jobs: Jobs) -> None:
    with jobs.serve_run(steps=2, run={"reward": {}}) as server:
        assert jobs.run(server) == 0
        state = server.state()
    assert state["failures"] == []
    assert [(each["step"], each["trained_tokens"]) for each in state["run"]["trained"]] == [(1, 0), (2, 0)]


def test_a_prompt_without_room_for_an_answer_ends_the_run(jobs: Jobs) -> None:
    prompts = [[{"role": "user", "content": "stones " * 200}]]
    with jobs.serve_run(steps=2, run={"reward": {}, "look_prompts": prompts}) as server:
        assert jobs.run(server) == 0
        assert [failure["code"] for failure in server.state()["failures"]] == ["invalid_training_data"]


def has_sampled(server: ProtocolServer, step: int) -> bool:
    return len(run_of(server)["rollouts"].get(str(step), [])) > 0


def kill(trainer: subprocess.Popen) -> None:
    trainer.send_signal(signal.SIGKILL)
    trainer.wait(60)
