import asyncio

from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function

from cases import api_key, base_url, on_each_wire, prompt, run_cases


class Weather:
    @kernel_function(description="The weather of a city.")
    def weather(self, city: str) -> str:
        return "Rain."


def agent(model, plugins=()):
    client = AsyncOpenAI(base_url=base_url, api_key=api_key, max_retries=0)
    service = OpenAIChatCompletion(ai_model_id=model, async_client=client)
    return ChatCompletionAgent(name="guide", instructions="Be brief.", service=service, plugins=list(plugins))


async def ask_twice(wire):
    """The second question has the name of the agent, and its calls, in the history."""
    guide = agent(f"{wire}/tools", [Weather()])
    first = await guide.get_response(prompt)
    second = await guide.get_response("And in Oslo?", thread=first.thread)
    messages = [message async for message in first.thread.get_messages()]
    calls = [item for message in messages for item in message.items if hasattr(item, "arguments")]
    return len(str(second)) > 0 and len(calls) > 0


async def stream(wire):
    return len([chunk async for chunk in agent(f"{wire}/small").invoke_stream(prompt)]) > 0


# One event loop for all cases, because the clients of ended ones still close their connections in it.
with asyncio.Runner() as runner:
    run_cases(
        {
            **on_each_wire("named agent, two turns", lambda wire: runner.run(ask_twice(wire))),
            **on_each_wire("stream", lambda wire: runner.run(stream(wire))),
        }
    )
