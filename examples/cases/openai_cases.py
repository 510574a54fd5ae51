import json
import time

from openai import NotFoundError, OpenAI
from pydantic import BaseModel

from cases import api_key, base_url, on_each_wire, prompt, run_cases

client = OpenAI(base_url=base_url, api_key=api_key, max_retries=0)
messages = [{"role": "user", "content": prompt}]
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"type": "function", "function": {"name": "weather", "parameters": parameters}}]


class City(BaseModel):
    city: str


def chat(wire, **more):
    return client.chat.completions.create(model=f"{wire}/small", messages=messages, **more)


def stream(wire):
    with client.chat.completions.stream(model=f"{wire}/small", messages=messages) as events:
        return events.get_final_completion().choices[0].finish_reason == "stop"


def responses_stream(wire):
    with client.responses.stream(model=f"{wire}/small", input=prompt) as events:
        return events.get_final_response().status == "completed"


def errors():
    try:
        client.chat.completions.create(model="nothing", messages=messages)
    except NotFoundError:
        return True
    return False


def files():
    client.files.create(purpose="fine-tune", file=("a.jsonl", b'{"messages": []}\n'))
    return len(client.files.list().data) > 0


def batches():
    body = {"model": "sim/small", "messages": messages}
    line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": body}
    file = client.files.create(purpose="batch", file=("a.jsonl", json.dumps(line).encode()))
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
    )
    while batch.status not in ("completed", "failed"):
        time.sleep(0.2)
        batch = client.batches.retrieve(batch.id)
    answer = json.loads(client.files.content(batch.output_file_id).text)
    listed = [each.id for each in client.batches.list(limit=1)]
    return answer["custom_id"] == "a" and answer["response"]["status_code"] == 200 and batch.id in listed


run_cases(
    {
        **on_each_wire("chat", lambda wire: len(chat(wire).choices[0].message.content) > 0),
        **on_each_wire("stream", stream),
        **on_each_wire(
            "tools",
            lambda wire: len(
                client.chat.completions.create(model=f"{wire}/tools", messages=messages, tools=tools)
                .choices[0]
                .message.tool_calls
            )
            == 1,
        ),
        **on_each_wire(
            "parse",
            lambda wire: client.chat.completions.parse(
                model=f"{wire}/small", messages=messages, response_format=City
            ).choices[0].message.parsed
            is not None,
        ),
        **on_each_wire("json_object", lambda wire: chat(wire, response_format={"type": "json_object"}) is not None),
        **on_each_wire("seed, store, user", lambda wire: chat(wire, seed=1, store=True, user="u") is not None),
        **on_each_wire(
            "responses",
            lambda wire: len(client.responses.create(model=f"{wire}/small", input=prompt).output_text) > 0,
        ),
        **on_each_wire("responses stream", responses_stream),
        "embeddings": lambda: len(client.embeddings.create(model="sim/embed", input=["a", "b"]).data) == 2,
        "models.list": lambda: len(client.models.list().data) > 0,
        "files.list": files,
        "batches": batches,
        "error classes": errors,
    }
)
