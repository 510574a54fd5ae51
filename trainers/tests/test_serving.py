"""The small server, asked as vLLM is."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from ratchet_trainers.serving.engine import Engine
from ratchet_trainers.serving.server import make_server

QUESTION = [{"role": "user", "content": "I have 3 stones. What is their color?"}]


def save_adapter(base: Path, folder: Path, *, weight: float) -> Path:
    model = get_peft_model(
        AutoModelForCausalLM.from_pretrained(base), LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM")
    )
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            parameter.data.fill_(weight)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def server(base: Path) -> Iterator[httpx.Client]:
    serving = make_server(Engine(str(base), "tiny/base"), "127.0.0.1", 0)
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{serving.server_address[1]}", timeout=60) as client:
        yield client
    serving.shutdown()
    serving.server_close()
    thread.join()


def ask(server: httpx.Client, model: str = "tiny/base", **more: object) -> httpx.Response:
    body = {"model": model, "messages": QUESTION, "max_tokens": 12, "temperature": 0, **more}
    return server.post("/v1/chat/completions", json=body)


def load(server: httpx.Client, name: str, folder: Path) -> httpx.Response:
    return server.post("/v1/load_lora_adapter", json={"lora_name": name, "lora_path": str(folder)})


def unload(server: httpx.Client, name: str) -> httpx.Response:
    return server.post("/v1/unload_lora_adapter", json={"lora_name": name})


def code(response: httpx.Response) -> tuple[int, int, str]:
    error = response.json()["error"]
    return response.status_code, error["code"], error["type"]


def test_an_adapter_changes_answers_while_it_is_loaded_and_the_base_stays_as_it_was(
    server: httpx.Client, base: Path, tmp_path: Path
) -> None:
    assert server.get("/health").status_code == 200
    before = ask(server, logprobs=True).json()["choices"][0]
    assert code(ask(server, "mv_1.a-ab12")) == (404, 404, "NotFoundError")
    one, other = (save_adapter(base, tmp_path / name, weight=weight) for name, weight in (("a", 0.5), ("b", -0.5)))
    assert load(server, "mv_1.a-ab12", one).status_code == 200
    assert load(server, "mv_2", other).status_code == 200
    assert [model["id"] for model in server.get("/v1/models").json()["data"]] == ["tiny/base", "mv_1.a-ab12", "mv_2"]
    adapted = [ask(server, name, logprobs=True).json()["choices"][0] for name in ("mv_1.a-ab12", "mv_2")]
    assert adapted[0]["logprobs"] != before["logprobs"]
    assert adapted[1]["logprobs"] != before["logprobs"]
    assert adapted[0]["logprobs"] != adapted[1]["logprobs"]
    assert ask(server, logprobs=True).json()["choices"][0] == before
    assert unload(server, "mv_1.a-ab12").status_code == 200
    assert code(ask(server, "mv_1.a-ab12")) == (404, 404, "NotFoundError")
    assert ask(server, "mv_2", logprobs=True).json()["choices"][0] == adapted[1]
    assert unload(server, "mv_2").status_code == 200


def test_a_name_is_loaded_once_and_what_is_no_adapter_not_at_all(
    server: httpx.Client, base: Path, tmp_path: Path
) -> None:
    folder = save_adapter(base, tmp_path / "a", weight=0.1)
    assert load(server, "mv_3", folder).status_code == 200
    assert code(load(server, "mv_3", folder)) == (400, 400, "InvalidUserInput")
    assert code(load(server, "tiny/base", folder))[0] == 400
    assert code(load(server, "mv_4", tmp_path)) == (404, 404, "NotFoundError")
    weights = load_file(folder / "adapter_model.safetensors")
    other_layers = {name.replace("q_proj", "x_proj"): tensor for name, tensor in weights.items()}
    save_file(other_layers, folder / "adapter_model.safetensors")
    assert code(load(server, "mv_4", folder))[0] == 400
    (folder / "adapter_model.safetensors").write_bytes(b"no adapter")
    assert code(load(server, "mv_4", folder))[0] == 400
    assert code(unload(server, "mv_4")) == (404, 404, "NotFoundError")
    assert code(unload(server, "tiny/base")) == (404, 404, "NotFoundError")
    assert ask(server, "mv_3").status_code == 200
    assert unload(server, "mv_3").status_code == 200
    assert code(load(server, "mv_3", tmp_path / "b"))[0] == 404


def test_a_stream_has_the_same_text_as_the_whole_answer(server: httpx.Client) -> None:
    whole = ask(server, max_tokens=40).json()
    streamed = ask(server, max_tokens=40, stream=True, stream_options={"include_usage": True})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    *events, done = [line.removeprefix("data: ") for line in streamed.text.split("\n\n") if line]
    chunks = [json.loads(event) for event in events]
    choices = [chunk["choices"][0] for chunk in chunks if chunk["choices"]]
    text = "".join(choice["delta"].get("content", "") for choice in choices)
    assert done == "[DONE]"
    assert len(choices) > 4
    assert text == whole["choices"][0]["message"]["content"]
    assert choices[-1]["finish_reason"] == whole["choices"][0]["finish_reason"] == "stop"
    assert chunks[-1]["usage"] == whole["usage"]


def test_samples_are_repeated_by_a_seed_and_have_their_probabilities(server: httpx.Client) -> None:
    settings = {"temperature": 1, "n": 4, "seed": 3, "logprobs": True, "return_token_ids": True}
    first, again = (ask(server, **settings).json() for _ in range(2))
    assert first["choices"] == again["choices"]
    assert len({tuple(choice["token_ids"]) for choice in first["choices"]}) > 1
    for choice in first["choices"]:
        assert len(choice["token_ids"]) == len(choice["logprobs"]["content"]) <= 12
        assert all(each["logprob"] <= 0 for each in choice["logprobs"]["content"])
    assert len(first["prompt_token_ids"]) == first["usage"]["prompt_tokens"]


def test_what_cannot_be_answered_is_refused(server: httpx.Client) -> None:
    assert code(ask(server, max_tokens=400))[0] == 400
    assert code(ask(server, temperature=-1))[0] == 400
    assert code(ask(server, messages=[{"content": "no role"}]))[0] == 400
    assert code(ask(server, stream=True, n=2))[0] == 400
    assert code(server.post("/v1/chat/completions", content=b"{"))[0] == 400
    assert server.get("/v1/unknown").status_code == 404
    assert ask(server).status_code == 200


def test_says_which_adapters_have_requests(server: httpx.Client, base: Path, tmp_path: Path) -> None:
    empty = 'vllm:lora_requests_info{max_lora="0",running_lora_adapters="",waiting_lora_adapters=""}'
    assert server.get("/metrics").text.startswith(empty)
    load(server, "busy", save_adapter(base, tmp_path / "busy", weight=0.1))
    many = {"max_tokens": 200, "temperature": 1, "n": 64}
    asking = threading.Thread(target=ask, args=(server, "busy"), kwargs=many)
    asking.start()
    seen = False
    while asking.is_alive() and not seen:
        seen = 'running_lora_adapters="busy"' in server.get("/metrics").text
    asking.join()
    assert seen
    assert server.get("/metrics").text.startswith(empty)
    unload(server, "busy")
