# /// script
# requires-python = ">=3.10"
# dependencies = ["semantic-kernel==1.45.0"]
# ///
"""Semantic Kernel: an agent with a name and a function."""

import asyncio
import os

from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function


class Weather:
    @kernel_function(description="The weather of a city.")
    def weather(self, city: str) -> str:
        return f"It rains in {city}."


async def main() -> None:
    client = AsyncOpenAI(base_url=f"{os.environ['RATCHET_BASE_URL']}/v1", api_key=os.environ["RATCHET_API_KEY"])
    agent = ChatCompletionAgent(
        name="weather_agent",
        instructions="Answer in one sentence.",
        service=OpenAIChatCompletion(ai_model_id=os.environ.get("TOOL_MODEL", "sim/tools"), async_client=client),
        plugins=[Weather()],
    )
    first = await agent.get_response("How is the weather in Bergen?")
    print(f"{first.name}: {first}")
    # Its second question has the name of the agent in the history.
    second = await agent.get_response("And in Oslo?", thread=first.thread)
    print(f"{second.name}: {second}")
    messages = [message async for message in first.thread.get_messages()]
    calls = [item for message in messages for item in message.items if hasattr(item, "arguments")]
    print(f"{len(calls)} calls of a function")


asyncio.run(main())
