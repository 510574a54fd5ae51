from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from cases import api_key, base_url, on_each_wire, prompt, run_cases

provider = OpenAIProvider(base_url=base_url, api_key=api_key)


class City(BaseModel):
    city: str


def weather(city: str) -> str:
    """The weather of a city."""
    return "Rain."


def cases_of(name, model):
    return {
        **on_each_wire(
            f"{name}: run",
            lambda wire: len(Agent(model(f"{wire}/small", provider=provider)).run_sync(prompt).output) > 0,
        ),
        **on_each_wire(
            f"{name}: tools",
            lambda wire: len(
                Agent(model(f"{wire}/tools", provider=provider), tools=[weather]).run_sync(prompt).all_messages()
            )
            == 4,
        ),
    }


run_cases({**cases_of("chat", OpenAIChatModel), **cases_of("responses", OpenAIResponsesModel)})
