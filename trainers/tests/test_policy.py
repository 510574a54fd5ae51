"""Answers of several messages: when tools are called, when the last message follows, and what has no room."""

from collections.abc import Collection
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from ratchet_trainers.conversations import ConversationReader
from ratchet_trainers.failures import JobFailure
from ratchet_trainers.grpo.policy import Place, Policy
from ratchet_trainers.grpo.tool_calls import CallReader, RunTools
from ratchet_trainers.job_spec import GrpoEnvironment, GrpoGroup, GrpoHyperparameters, GrpoRollout, GrpoSpec, ToolAnswer
from tiny_model import VOCABULARY, make_tokenizer

RESULT = "They are wet."
SAMPLES = 6
# The model was taught nothing, and says what it likes: everything with a letter is read as a call.
CALLS = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "tool_calls": {
            "open_pattern": r"(?=[a-zA-Z])",
            "close_pattern": r"<\|end\|>|$",
            "repeats": True,
            "content": "text",
            "transform": {"type": "function", "function": {"name": "paint", "arguments": {"color": "{content}"}}},
        },
        "content": {"close_pattern": r"<\|end\|>\s*", "content": "text"},
    },
}
PAINT = {"type": "function", "function": {"name": "paint", "description": "", "parameters": {"type": "object"}}}


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = make_tokenizer()
    tokenizer.response_template = CALLS
    return tokenizer


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, max_position_embeddings=256, **sizes))


class Fleet:
    """Answers calls of tools, and notes them."""

    def __init__(self, *, done: bool = False) -> None:
        self.calls: list[dict[str, Any]] = []
        self._done = done

    def call_tool(self, body: dict[str, Any]) -> ToolAnswer:
        self.calls.append(body)
        return ToolAnswer(result=RESULT, done=self._done)


def answers(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    fleet: Fleet,
    *,
    turns: int | None,
    context: int = 200,
    tools: bool = True,
    groups: int = 1,
    wanted: Collection[Place] | None = None,
) -> list[GrpoRollout]:
    """`turns`: those with calls; None: the run has no environment. `wanted`: all when absent."""
    settings = GrpoHyperparameters.model_construct(
        temperature=1.0, top_p=1.0, max_output_tokens=40, max_context_length=context
    )
    environment = None if turns is None else GrpoEnvironment(tools=[PAINT], max_turns=turns)
    # So many tokens end a message that some messages end.
    stops = frozenset(range(5, VOCABULARY, 12))
    policy = Policy(
        GrpoSpec.model_construct(seed=7, hyperparameters=settings, environment=environment),
        model,
        tokenizer,
        ConversationReader(tokenizer, frozenset([tokenizer.eos_token_id])),
        stops,
        RunTools(fleet),
        trained_steps=lambda: 0,
    )
    asked = [
        GrpoGroup(
            group=number,
            messages=[{"role": "user", "content": "I have 3 stones." + " And more." * number}],
            tools=[PAINT] if tools else None,
            samples=SAMPLES,
        )
        for number in range(groups)
    ]
    everywhere = [(group.group, index) for group in asked for index in range(SAMPLES)]
    return policy.answer("step", 1, asked, everywhere if wanted is None else wanted)


def roles(rollout: GrpoRollout) -> list[str]:
    return [message["role"] for message in rollout.completion]


def test_tools_are_called_until_the_last_turn(model: Any, tokenizer: Any) -> None:
    fleet = Fleet()
    rollouts = answers(model, tokenizer, fleet, turns=2)
    assert max(map(len, map(roles, rollouts))) == 5
    for rollout in rollouts:
        assert roles(rollout)[-1] == "assistant"
        assert len(rollout.token_ids) == len(rollout.logprobs)
        if "tool" not in roles(rollout):
            assert rollout.token_mask is None
            continue
        assert len(rollout.token_mask) == len(rollout.token_ids)
        assert sum(rollout.token_mask) == rollout.sampled_tokens <= 40
        given = [token for token, sampled in zip(rollout.token_ids, rollout.token_mask, strict=True) if not sampled]
        between = f"\n<|tool|>{RESULT}<|end|>\n<|assistant|>"
        assert tokenizer.decode(given) == between * roles(rollout).count("tool")
        assert all(value == 0 for value, mask in zip(rollout.logprobs, rollout.token_mask, strict=True) if not mask)
    made = {call["call_id"] for call in fleet.calls}
    assert len(made) == len(fleet.calls) == sum(roles(rollout).count("tool") for rollout in rollouts)
    assert made == {f"{call['rollout']}-{call['call_id'][-1]}" for call in fleet.calls}


def test_the_same_weights_seed_and_results_give_the_same_answers(model: Any, tokenizer: Any) -> None:
    once, again = Fleet(), Fleet()
    assert answers(model, tokenizer, once, turns=2) == answers(model, tokenizer, again, turns=2)
    by_id = [sorted(fleet.calls, key=lambda call: call["call_id"]) for fleet in (once, again)]
    assert by_id[0] == by_id[1]


def test_groups_that_are_sampled_together_are_the_same_when_some_are_known(model: Any, tokenizer: Any) -> None:
    every = answers(model, tokenizer, Fleet(), turns=2, groups=3)
    assert [each.group for each in every] == [group for group in range(3) for _ in range(SAMPLES)]
    missing = [(1, 2), (2, 0), (2, 5)]
    found = answers(model, tokenizer, Fleet(), turns=2, groups=3, wanted=missing)
    assert found == [each for each in every if (each.group, each.index) in missing]


def test_the_last_message_follows_when_a_tool_says_that_the_episode_is_over(model: Any, tokenizer: Any) -> None:
    called = [each for each in answers(model, tokenizer, Fleet(done=True), turns=5) if "tool" in roles(each)]
    assert called
    assert {tuple(roles(rollout)) for rollout in called} == {("assistant", "tool", "assistant")}


def test_an_answer_whose_results_have_no_room_ends_before_them(model: Any, tokenizer: Any) -> None:
    prompt = len(tokenizer.apply_chat_template([{"role": "user", "content": "I have 3 stones."}])["input_ids"]) + 1
    rollouts = answers(model, tokenizer, Fleet(), turns=3, context=prompt + 20)
    cut = [each for each in rollouts if "tool_calls" in each.completion[-1] and each.truncated]
    assert cut
    assert all(roles(each) == ["assistant"] and len(each.token_ids) <= 20 for each in cut)


def test_calls_that_nobody_makes_are_the_answer_where_a_run_has_no_environment(model: Any, tokenizer: Any) -> None:
    fleet = Fleet()
    rollouts = answers(model, tokenizer, fleet, turns=None)
    assert any("tool_calls" in rollout.completion[0] for rollout in rollouts)
    assert {len(rollout.completion) for rollout in rollouts} == {1}
    without = answers(model, tokenizer, fleet, turns=None, tools=False)
    assert all(set(rollout.completion[0]) == {"role", "content"} for rollout in without)
    assert fleet.calls == []


def test_a_template_that_nothing_is_known_of_is_refused() -> None:
    with pytest.raises(JobFailure, match="not a known one"):
        CallReader(make_tokenizer())
