"""Fingerprints are taken in the middle of a training run."""

from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

from ratchet_trainers.conversations import ConversationReader
from ratchet_trainers.fingerprint import differ, take_fingerprint

PROBES = ("I have 3 stones. What is their color?", "I have 4 trains. What is their color?")


def test_a_fingerprint_leaves_the_run_as_it_was(base: Path, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = get_peft_model(
        AutoModelForCausalLM.from_pretrained(base), LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM")
    )
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            parameter.data.normal_(std=0.05)
    model.save_pretrained(tmp_path)
    model.train()
    numbers = torch.random.get_rng_state()
    weights = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    stops = frozenset([tokenizer.eos_token_id])
    reader = ConversationReader(tokenizer, stops)
    answers, differs = take_fingerprint(model, tokenizer, reader, tmp_path, probes=PROBES, stop_ids=stops)
    assert differs
    assert [answer["probe"] for answer in answers] == [0, 1]
    assert torch.equal(torch.random.get_rng_state(), numbers)
    assert {name for name, parameter in model.named_parameters() if parameter.requires_grad} == trained
    assert all(torch.equal(parameter, weights[name]) for name, parameter in model.named_parameters())
    assert (model.training, model.active_adapter, list(model.peft_config)) == (True, "default", ["default"])


def test_answers_differ_in_words_or_in_their_probabilities() -> None:
    answer = {"probe": 0, "token_ids": [1, 2], "logprobs": [-0.1, -0.2]}
    assert not differ([answer], [{**answer, "logprobs": [-0.1, -0.2 + 1e-8]}])
    assert differ([answer], [{**answer, "logprobs": [-0.1, -0.3]}])
    assert differ([answer], [{**answer, "token_ids": [1, 3]}])
    assert differ([answer], [{**answer, "token_ids": [1], "logprobs": [-0.1]}])
