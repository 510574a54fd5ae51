"""Jobs from the specification to the result."""

import json
import statistics

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from conftest import Jobs
from tiny_model import chat_example, polite_examples, polite_pairs, questions


def test_supervised_training_lowers_the_loss_on_held_out_examples(jobs: Jobs) -> None:
    plan = {"servable_steps": [1, 20]}
    with jobs.serve(steps=20, validation=polite_examples(99, 16), plan=plan) as server:
        assert jobs.run(server) == 0
        state = server.state()
        losses = server.metrics("valid_loss")
        assert losses[20] < losses[1] / 2
        assert state["results"] == [{"step": 20, "stopped_early": None, "metrics": state["results"][0]["metrics"]}]
        assert state["failures"] == []
        report = next(each["data"]["data_report"] for each in server.messages() if "data_report" in each["data"])
        assert (report["used"], report["stop_token_trained"]) == (160, True)
        assert state["durable"]["20"]["trained_tokens"] == report["tokens"]
        kinds = {file["name"]: file["kind"] for file in state["durable"]["20"]["files"]}
        assert kinds["adapter_model.safetensors"] == "adapter"
        assert kinds["optimizer.safetensors"] == "state"
        assert {name.rsplit(".", 1)[1] for name in kinds} <= {"safetensors", "json", "jinja"}
        config = json.loads(server.file(20, "adapter_config.json"))
        assert config["base_model_name_or_path"] == "tiny/base"


def test_preferences_raise_the_share_of_pairs_that_are_ordered_right(jobs: Jobs) -> None:
    plan = {"servable_steps": [1, 20]}
    with jobs.serve(kind="dpo", steps=20, validation=polite_pairs(99, 16), plan=plan) as server:
        assert jobs.run(server) == 0
        accuracies = server.metrics("train_rewards/accuracies")
        assert statistics.mean(list(accuracies.values())[-3:]) > 0.9
        losses = server.metrics("valid_loss")
        assert losses[20] < losses[1] * 0.7
        assert server.state()["failures"] == []


def test_the_fingerprint_is_of_the_saved_adapter(jobs: Jobs) -> None:
    plan = {"servable_steps": [6, 12]}
    with jobs.serve(plan=plan) as server:
        assert jobs.run(server) == 0
        prints = server.state()["fingerprints"]
        assert set(prints) == {"6", "12"}
        for each in prints.values():
            assert len(each["probes"]) == 8
            assert all(len(probe["token_ids"]) == len(probe["logprobs"]) <= 16 for probe in each["probes"])
            assert all(logprob <= 0 for probe in each["probes"] for logprob in probe["logprobs"])
        assert prints["6"]["probes"] != prints["12"]["probes"]


def test_early_stopping_returns_the_best_checkpoint(jobs: Jobs) -> None:
    # Each evaluation after the first ones is worse: the rate is far too high.
    plan = {"servable_steps": list(range(1, 21))}
    settings = {"early_stopping_patience": 2, "learning_rate": 0.5}
    with jobs.serve(steps=20, validation=polite_examples(99, 8), plan=plan, settings=settings) as server:
        assert jobs.run(server) == 0
        losses = server.metrics("valid_loss")
        result = server.state()["results"][0]
        assert result["stopped_early"] == "early_stopping"
        assert result["step"] == min(losses, key=losses.get)
        assert max(losses) == result["step"] + 2 < 20


def test_a_job_ends_where_its_money_does(jobs: Jobs) -> None:
    with jobs.serve() as server:
        server.set(stopAtStep=4)
        assert jobs.run(server) == 0
        assert server.state()["results"][0]["step"] == 4
        assert list(server.state()["fingerprints"]) == ["4"]


def test_a_version_is_trained_further(jobs: Jobs) -> None:
    with jobs.serve() as server:
        assert jobs.run(server) == 0
        files = [file for file in server.state()["durable"]["12"]["files"] if file["kind"] == "adapter"]
        contents = {file["name"]: server.file(12, file["name"]) for file in files}
        first_loss = server.metrics("train_loss")[1]
    paths = []
    for name, content in contents.items():
        paths.append(jobs.folder / name)
        paths[-1].write_bytes(content)
    warm_start = [{**{key: file[key] for key in ("name", "sha256", "bytes")}, "url": ""} for file in files]
    with jobs.serve(kind="dpo", warm_start=warm_start, more_files=paths) as server:
        assert jobs.run(server) == 0
        # The reference is the version, so nothing is preferred yet.
        assert abs(server.metrics("train_loss")[1] - 0.693147) < 1e-3
        assert server.state()["failures"] == []
    with jobs.serve(warm_start=warm_start, more_files=paths) as server:
        assert jobs.run(server) == 0
        assert server.metrics("train_loss")[1] < first_loss / 2


def test_the_loss_is_that_of_the_trained_tokens_alone(jobs: Jobs) -> None:
    wrong = [chat_example(question, "No idea.", weight=0)["messages"] for question, _ in questions(5, 16)]
    right = [example["messages"] for example in polite_examples(6, 16)]
    train = [{"messages": [*first, *second]} for first, second in zip(wrong, right, strict=True)]
    with jobs.serve(train=train, steps=1, batch_size=16) as server:
        assert jobs.run(server) == 0
        loss = server.metrics("train_loss")[1]
    model, tokenizer = AutoModelForCausalLM.from_pretrained(jobs.base), AutoTokenizer.from_pretrained(jobs.base)
    total, count = 0.0, 0
    for example in train:
        text = tokenizer.apply_chat_template(example["messages"], tokenize=False)
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        answer = tokenizer(example["messages"][-1]["content"] + "<|end|>", add_special_tokens=False)["input_ids"]
        # The template ends a turn with a line end, which is no part of the answer.
        end = len(ids) - len(tokenizer("\n", add_special_tokens=False)["input_ids"])
        start = end - len(answer)
        assert ids[start:end] == answer
        with torch.no_grad():
            logprobs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        total -= sum(logprobs[at - 1, ids[at]].item() for at in range(start, end))
        count += len(answer)
    assert loss == pytest.approx(total / count, rel=1e-3)


def test_exact_counts_are_reported_before_step_1_and_waited_for_until_they_are_covered(jobs: Jobs) -> None:
    with jobs.serve(steps=4) as server:
        server.set(uncoveredTimes=1)
        assert jobs.run(server) == 0
        reports = server.state()["data"]
        assert len(reports) == 2
        assert reports[0] == reports[1]
        last = server.state()["durable"]["4"]
        assert reports[0]["used"] == 32
        assert reports[0]["tokens"] == last["trained_tokens"]
        assert reports[0]["stop_token_trained"] is True


def test_a_template_with_another_hash_than_the_catalog_says_ends_the_job_before_step_1(jobs: Jobs) -> None:
    base = {"id": "tiny/base", "source": str(jobs.base), "sha256": None, "chat_template_sha256": "0" * 64}
    with jobs.serve(steps=4, base_model=base) as server:
        assert jobs.run(server) == 0
        state = server.state()
        assert [failure["code"] for failure in state["failures"]] == ["base_model_unavailable"]
        assert state["data"] == []
