import os
from typing import Annotated

# Otherwise Haystack reports to its makers that it was used.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack.components.agents import Agent
from haystack.components.embedders import OpenAITextEmbedder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool
from haystack.utils import Secret

from cases import api_key, base_url, on_each_wire, prompt, run_cases


@tool
def weather(city: Annotated[str, "Its name."]) -> str:
    """The weather of a city."""
    return "Rain."


access = {"api_base_url": base_url, "api_key": Secret.from_token(api_key), "max_retries": 0}
question = [ChatMessage.from_user(prompt)]


def chat(wire):
    return len(OpenAIChatGenerator(model=f"{wire}/small", **access).run(question)["replies"][0].text) > 0


def stream(wire):
    chunks = []
    OpenAIChatGenerator(model=f"{wire}/small", streaming_callback=chunks.append, **access).run(question)
    return len(chunks) > 1


def agent(wire):
    generator = OpenAIChatGenerator(model=f"{wire}/tools", **access)
    roles = [message.role.value for message in Agent(chat_generator=generator, tools=[weather]).run(question)["messages"]]
    return roles[-4:] == ["user", "assistant", "tool", "assistant"]


run_cases(
    {
        **on_each_wire("chat", chat),
        **on_each_wire("stream", stream),
        **on_each_wire("agent", agent),
        "embed": lambda: len(OpenAITextEmbedder(model="sim/embed", **access).run(prompt)["embedding"]) > 0,
    }
)
