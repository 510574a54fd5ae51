"""Attempts that end early, and those that go on."""

import random
import signal
import subprocess

import pytest

from conftest import Jobs
from protocol_server import ProtocolServer, eventually, start_trainer
from tiny_model import polite_examples, polite_pairs

STEPS = 24
PLAN = {"servable_steps": [8, STEPS], "save_every_steps": 4}
MODEL_FILES = ("adapter_model.safetensors", "optimizer.safetensors", "adapter_config.json")


def model_of(server: ProtocolServer) -> dict[str, bytes]:
    return {name: server.file(STEPS, name) for name in MODEL_FILES}


def last_heartbeat(server: ProtocolServer) -> int:
    return max((beat["step"] for beat in server.state()["heartbeats"]), default=0)


def wait(trainer: subprocess.Popen) -> int:
    return trainer.wait(180)


@pytest.mark.parametrize("kind", ["supervised", "dpo"])
def test_a_run_that_is_killed_and_resumed_ends_bit_equal(jobs: Jobs, kind: str) -> None:
    validation = polite_examples(99, 8) if kind == "supervised" else polite_pairs(99, 8)
    # Two epochs, so that a resumed run must find its place in the order of the second.
    make = polite_examples if kind == "supervised" else polite_pairs
    given = {
        "kind": kind,
        "steps": STEPS,
        "train": make(11, STEPS * 8 // 2),
        "validation": validation,
        "plan": PLAN,
        "settings": {"n_epochs": 2},
    }
    with jobs.serve(**given) as undisturbed:
        assert jobs.run(undisturbed) == 0
        wanted, losses = model_of(undisturbed), undisturbed.metrics("train_loss")
        tokens = undisturbed.state()["durable"][str(STEPS)]["trained_tokens"]
    kill_at = random.randint(5, STEPS - 2)
    with jobs.serve(**given) as server:
        trainer = start_trainer(server, server.new_attempt())
        eventually(lambda: last_heartbeat(server) >= kill_at or trainer.poll() is not None, f"step {kill_at}")
        trainer.send_signal(signal.SIGKILL)
        wait(trainer)
        killed_after = max(map(int, server.state()["durable"]))
        # A kill that came late still leaves steps to do again.
        server.forget_after(min(killed_after, STEPS - 4))
        assert jobs.run(server) == 0
        assert model_of(server) == wanted, f"killed at step {kill_at}, durable {killed_after}"
        assert server.metrics("train_loss") == losses
        assert server.state()["durable"][str(STEPS)]["trained_tokens"] == tokens


def test_sigterm_saves_a_checkpoint_and_exits_with_75(jobs: Jobs) -> None:
    with jobs.serve(steps=400, plan={"servable_steps": [400], "save_every_steps": 1000}) as server:
        trainer = start_trainer(server, server.new_attempt())
        eventually(lambda: last_heartbeat(server) >= 3, "step 3", trainer)
        trainer.send_signal(signal.SIGTERM)
        assert wait(trainer) == 75
        state = server.state()
        step = max(map(int, state["durable"]))
        assert 3 <= step < 400
        assert state["stops"] == [{"reason": "preempted", "step": step}]
        assert (state["results"], state["failures"]) == ([], [])


@pytest.mark.parametrize("command", ["pause", "cancel"])
def test_a_command_to_stop_saves_a_checkpoint(jobs: Jobs, command: str) -> None:
    with jobs.serve(steps=400, plan={"servable_steps": [400], "save_every_steps": 1000}) as server:
        server.plant_command(command, at_step=2)
        assert jobs.run(server) == 75
        state = server.state()
        step = max(map(int, state["durable"]))
        assert 2 <= step < 400
        assert state["stops"] == [{"reason": command, "step": step}]


def test_a_command_to_stop_before_step_1_saves_nothing(jobs: Jobs) -> None:
    with jobs.serve() as server:
        server.set(command="pause")
        assert jobs.run(server) == 75
        assert server.state()["durable"] == {}
        assert server.state()["stops"] == [{"reason": "pause", "step": 0}]


def test_a_command_to_save_is_followed_once_and_training_goes_on(jobs: Jobs) -> None:
    with jobs.serve(steps=60, plan={"servable_steps": [60], "save_every_steps": 1000}) as server:
        server.plant_command("checkpoint", at_step=2)
        assert jobs.run(server) == 0
        steps = sorted(map(int, server.state()["durable"]))
        assert len(steps) == 2
        assert steps[0] < steps[1] == 60


def test_a_superseded_attempt_ends_at_once_and_commits_nothing(jobs: Jobs) -> None:
    with jobs.serve(steps=400, plan={"servable_steps": [400], "save_every_steps": 4}) as server:
        trainer = start_trainer(server, server.new_attempt())
        eventually(lambda: last_heartbeat(server) >= 3, "step 3", trainer)
        server.new_attempt()
        before = server.state()["durable"]
        assert wait(trainer) == 0
        state = server.state()
        assert state["durable"] == before
        assert (state["results"], state["failures"], state["stops"]) == ([], [], [])


def test_an_attempt_that_was_superseded_in_its_last_upload_cannot_commit(jobs: Jobs) -> None:
    with jobs.serve(steps=4) as server:
        old = server.new_attempt()
        server.plant_attempt_at("/checkpoints/commit")
        assert jobs.run(server, old) == 0
        state = server.state()
        assert state["generation"] == 2
        # Whoever goes on from a checkpoint does not report the steps before it again.
        assert set(server.metrics("train_loss")) == {1, 2, 3, 4}
        assert (state["durable"], state["results"]) == ({}, [])


def test_an_attempt_after_the_last_checkpoint_only_reports_the_result(jobs: Jobs) -> None:
    with jobs.serve() as server:
        assert jobs.run(server) == 0
        first = server.state()
        assert jobs.run(server) == 0
        second = server.state()
        assert second["durable"] == first["durable"]
        assert second["fingerprints"] == first["fingerprints"]
        assert [result["step"] for result in second["results"]] == [12, 12]


def test_calls_are_repeated_while_the_service_is_away(jobs: Jobs) -> None:
    with jobs.serve(steps=4) as server:
        for path in ("/spec", "/heartbeat", "/events", "/checkpoints/begin", "/checkpoints/commit", "/result"):
            server.plant_fault(path, status=503, times=2)
        assert jobs.run(server) == 0
        state = server.state()
        assert list(state["durable"]) == ["4"]
        numbers = [int(key.split("/")[1]) for key, _ in state["events"]]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))


def test_lost_uploads_are_sent_again(jobs: Jobs) -> None:
    with jobs.serve(steps=4) as server:
        server.plant_lost_uploads(1)
        assert jobs.run(server) == 0
        assert list(server.state()["durable"]) == ["4"]


def test_a_refused_call_is_reported_and_loses_the_attempt(jobs: Jobs) -> None:
    with jobs.serve(steps=4) as server:
        server.plant_fault("/checkpoints/begin", status=400, times=1)
        assert jobs.run(server) == 1
        assert [failure["code"] for failure in server.state()["failures"]] == ["internal_error"]


def test_calls_are_repeated_no_longer_than_the_lease(jobs: Jobs) -> None:
    with jobs.serve(steps=2, lease_seconds=2) as server:
        server.plant_fault("/result", status=503, times=1_000_000)
        assert jobs.run(server) == 1
        assert server.state()["results"] == []


def test_a_token_that_is_not_known_loses_the_attempt(jobs: Jobs) -> None:
    with jobs.serve(steps=2) as server:
        assert jobs.run(server, "forged") == 1
