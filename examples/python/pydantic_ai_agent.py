# /// script
# requires-python = ">=3.10"
# dependencies = ["pydantic-ai-slim[openai]==2.68.0"]
# ///
"""Pydantic AI: an agent with a function."""

import os

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=f"{os.environ['RATCHET_BASE_URL']}/v1", api_key=os.environ["RATCHET_API_KEY"])
agent = Agent(OpenAIChatModel(os.environ.get("TOOL_MODEL", "sim/tools"), provider=provider))


@agent.tool_plain
def weather(city: str) -> str:
    """The weather of a city."""
    return f"It rains in {city}."


result = agent.run_sync("How is the weather in Bergen?")
print(result.output)
print(result.usage())
