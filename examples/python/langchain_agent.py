# /// script
# requires-python = ">=3.10"
# dependencies = ["langchain==1.5.0", "langchain-openai==1.7.4"]
# ///
"""LangChain: an agent with a function and a name."""

import os

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI


def weather(city: str) -> str:
    """The weather of a city."""
    return f"It rains in {city}."


model = ChatOpenAI(
    model=os.environ.get("TOOL_MODEL", "sim/tools"),
    base_url=f"{os.environ['RATCHET_BASE_URL']}/v1",
    api_key=os.environ["RATCHET_API_KEY"],
)
agent = create_agent(model, [weather], name="weather_agent")
result = agent.invoke({"messages": [{"role": "user", "content": "How is the weather in Bergen?"}]})

for message in result["messages"]:
    print(f"{message.type}: {message.text}")
