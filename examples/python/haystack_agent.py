# /// script
# requires-python = ">=3.10"
# dependencies = ["haystack-ai==3.4.1"]
# ///
"""Haystack: an agent with a function."""

import os
from typing import Annotated

# Otherwise Haystack reports to its makers that it was used.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool
from haystack.utils import Secret


@tool
def weather(city: Annotated[str, "Its name."]) -> str:
    """The weather of a city."""
    return f"It rains in {city}."


generator = OpenAIChatGenerator(
    model=os.environ.get("TOOL_MODEL", "sim/tools"),
    api_base_url=f"{os.environ['RATCHET_BASE_URL']}/v1",
    api_key=Secret.from_token(os.environ["RATCHET_API_KEY"]),
)
agent = Agent(chat_generator=generator, tools=[weather])
result = agent.run(messages=[ChatMessage.from_user("How is the weather in Bergen?")])

for message in result["messages"]:
    for call in message.tool_calls:
        print(f"{message.role.value}: calls {call.tool_name}")
    for answer in message.tool_call_results:
        print(f"{message.role.value}: {answer.result}")
    if message.text:
        print(f"{message.role.value}: {message.text}")
