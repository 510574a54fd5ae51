# /// script
# requires-python = ">=3.10"
# dependencies = ["openai-agents==0.24.0"]
# ///
"""OpenAI's Agents SDK: an agent with a function, by the Responses API, which it uses by default."""

import os

from agents import Agent, OpenAIProvider, RunConfig, Runner, function_tool, set_tracing_disabled

# Its traces would go to OpenAI.
set_tracing_disabled(True)


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"It rains in {city}."


# A slash in the name of a model means a provider of the SDK, so the name is written with a colon.
agent = Agent(
    name="Weather",
    instructions="Answer in one sentence.",
    model=os.environ.get("TOOL_MODEL", "sim:tools"),
    tools=[weather],
)
provider = OpenAIProvider(base_url=f"{os.environ['RATCHET_BASE_URL']}/v1", api_key=os.environ["RATCHET_API_KEY"])
result = Runner.run_sync(agent, "How is the weather in Bergen?", run_config=RunConfig(model_provider=provider))

print(", ".join(item.type for item in result.new_items))
print(result.final_output)
