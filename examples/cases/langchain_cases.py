from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from cases import api_key, base_url, on_each_wire, prompt, run_cases


class City(BaseModel):
    city: str


def weather(city: str) -> str:
    """The weather of a city."""
    return "Rain."


def chat(model, **more):
    return ChatOpenAI(model=model, base_url=base_url, api_key=api_key, max_retries=0, **more)


def agent(wire):
    made = create_agent(chat(f"{wire}/tools"), [weather], name="weather_agent")
    return len(made.invoke({"messages": [{"role": "user", "content": prompt}]})["messages"]) == 4


run_cases(
    {
        **on_each_wire("invoke", lambda wire: len(chat(f"{wire}/small").invoke(prompt).text) > 0),
        **on_each_wire("stream", lambda wire: len("".join(c.text for c in chat(f"{wire}/small").stream(prompt))) > 0),
        **on_each_wire(
            "with_structured_output",
            lambda wire: chat(f"{wire}/small").with_structured_output(City).invoke(prompt) is not None,
        ),
        **on_each_wire("seed", lambda wire: chat(f"{wire}/small", seed=1).invoke(prompt) is not None),
        **on_each_wire("agent with a name", agent),
        **on_each_wire(
            "responses", lambda wire: len(chat(f"{wire}/small", use_responses_api=True).invoke(prompt).text) > 0
        ),
    }
)
