"""Runs of GRPO whose policy calls tools: answers of several turns, and results that are read and not trained on."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from conftest import Jobs
from protocol_server import ProtocolServer, eventually, start_trainer
from test_grpo import MODEL_FILES, has_sampled, kill
from tiny_model import POLITE

STEPS = 3
RESULT = "They are wet."
# The model was never taught to call tools: what it says of a color is read as a call, and the rest as text.
CALLS = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "tool_calls": {
            "open": "They are ",
            "close": ".",
            "repeats": True,
            "content": "text",
            "transform": {"type": "function", "function": {"name": "paint", "arguments": {"color": "{content}"}}},
        },
        "content": {"close_pattern": r"<\|end\|>\s*", "content": "text"},
    },
}
PAINT = {
    "type": "function",
    "function": {
        "name": "paint",
        "description": "Paints.",
        "parameters": {"type": "object", "properties": {"color": {"type": "string"}}},
    },
}


@pytest.fixture(scope="session")
def calling_base(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calling") / "base"
    shutil.copytree(base, folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.response_template = CALLS
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def jobs(calling_base: Path, tmp_path: Path) -> Jobs:
    return Jobs(calling_base, tmp_path)


def serve(jobs: Jobs, *, max_turns: int = 2, context: int = 128, steps: int = STEPS, **tool: Any) -> ProtocolServer:
    return jobs.serve_run(
        steps=steps,
        run={
            "reward": {"ends_with": POLITE.strip()},
            "resample": 2,
            "save_every": 2,
            "look_prompts": [],
            "tool": {"result": RESULT, "max_calls": 10, **tool},
        },
        settings={"group_size": 4, "prompts_per_step": 2, "max_context_length": context, "max_output_tokens": 60},
        environment={"tools": [PAINT], "max_turns": max_turns},
    )


def run_of(server: ProtocolServer) -> dict[str, Any]:
    return server.state()["run"]


def rollouts_of(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [rollout for step in run["rollouts"].values() for rollout in step]


def with_calls(rollouts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [rollout for rollout in rollouts if any(message["role"] == "tool" for message in rollout["completion"])]


def test_results_are_read_and_not_trained_on(jobs: Jobs) -> None:
    with serve(jobs) as server:
        assert jobs.run(server) == 0
        assert server.state()["failures"] == []
        run = run_of(server)
    rollouts = rollouts_of(run)
    called = with_calls(rollouts)
    assert len(called) > len(rollouts) / 2
    tokenizer = AutoTokenizer.from_pretrained(jobs.base)
    for rollout in called:
        roles = [message["role"] for message in rollout["completion"]]
        # At most two messages with calls, then the last one.
        assert roles in (["assistant", "tool", "assistant"], ["assistant", "tool"] * 2 + ["assistant"])
        call = rollout["completion"][0]["tool_calls"][0]
        assert (call["function"]["name"], rollout["completion"][1]["content"]) == ("paint", RESULT)
        assert list(json.loads(call["function"]["arguments"])) == ["color"]
        assert rollout["completion"][1]["tool_call_id"] == call["id"]
        mask = rollout["token_mask"]
        assert len(mask) == len(rollout["token_ids"]) == len(rollout["logprobs"])
        assert sum(mask) == rollout["sampled_tokens"] <= 60
        given = [token for token, sampled in zip(rollout["token_ids"], mask, strict=True) if not sampled]
        assert tokenizer.decode(given) == f"\n<|tool|>{RESULT}<|end|>\n<|assistant|>" * roles.count("tool")
    for rollout in rollouts:
        if rollout not in called:
            assert rollout["token_mask"] is None
    for trained in run["trained"]:
        answers = run["rollouts"][str(trained["step"])]
        assert trained["trained_tokens"] <= sum(rollout["sampled_tokens"] for rollout in answers)
        # Where it was sampled a token was as probable as where it is trained: the results stand between.
        assert trained["stats"]["logprob_gap_max"] < 1e-3
    assert sum(trained["trained_tokens"] for trained in run["trained"]) > 0
    names = {
        f"step-{step}-{each['group']}-{each['index']}" for step, all_of in run["rollouts"].items() for each in all_of
    }
    assert {call["rollout"] for call in run["toolCalls"].values()} <= names


def test_a_run_that_is_killed_comes_to_the_same_bytes_and_no_call_is_made_anew(jobs: Jobs) -> None:
    with serve(jobs) as server:
        assert jobs.run(server) == 0
        undisturbed = run_of(server)
        expected = {name: server.file(STEPS, name) for name in MODEL_FILES}
    with serve(jobs) as server:
        trainer = start_trainer(server, server.new_attempt())
        eventually(lambda: has_sampled(server, 2) or len(run_of(server)["toolCalls"]) > 12, "calls", trainer)
        kill(trainer)
        trainer = start_trainer(server, server.new_attempt())
        assert trainer.wait(300) == 0
        disturbed = run_of(server)
        found = {name: server.file(STEPS, name) for name in MODEL_FILES}
    assert found == expected
    assert disturbed["rollouts"] == undisturbed["rollouts"]
    assert set(disturbed["sent"].values()) == {1}
    calls = [
        {name: {**call, "asked": 1} for name, call in run["toolCalls"].items()} for run in (disturbed, undisturbed)
    ]
    assert calls[0] == calls[1]
