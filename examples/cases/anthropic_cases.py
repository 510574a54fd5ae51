from anthropic import Anthropic, NotFoundError

from cases import api_key, on_each_wire, origin, prompt, run_cases

client = Anthropic(base_url=origin, api_key=api_key, max_retries=0)
body = {"max_tokens": 200, "messages": [{"role": "user", "content": prompt}]}
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"name": "weather", "input_schema": schema}]


def stream(wire):
    with client.messages.stream(model=f"{wire}/small", **body) as events:
        return events.get_final_message().stop_reason == "end_turn"


def errors():
    try:
        client.messages.create(model="nothing", **body)
    except NotFoundError:
        return True
    return False


run_cases(
    {
        **on_each_wire("messages", lambda wire: len(client.messages.create(model=f"{wire}/small", **body).content) > 0),
        **on_each_wire("stream", stream),
        **on_each_wire(
            "tools",
            lambda wire: client.messages.create(model=f"{wire}/tools", tools=tools, **body).stop_reason == "tool_use",
        ),
        "count_tokens": lambda: client.messages.count_tokens(model="sim/small", messages=body["messages"]).input_tokens > 0,
        "models.list": lambda: len(client.models.list().data) > 0,
        "error classes": errors,
    }
)
