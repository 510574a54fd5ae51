from agents import Agent, OpenAIProvider, RunConfig, Runner, function_tool, set_tracing_disabled
from pydantic import BaseModel

from cases import api_key, base_url, on_each_wire, prompt, run_cases

set_tracing_disabled(True)


class City(BaseModel):
    city: str


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return "Rain."


def run(model, use_responses, **more):
    provider = OpenAIProvider(base_url=base_url, api_key=api_key, use_responses=use_responses)
    agent = Agent(name="Weather", model=model, **more)
    return Runner.run_sync(agent, prompt, run_config=RunConfig(model_provider=provider))


def cases_of(name, use_responses):
    return {
        **on_each_wire(
            f"{name}: tools", lambda wire: len(run(f"{wire}:tools", use_responses, tools=[weather]).new_items) == 3
        ),
        **on_each_wire(
            f"{name}: output_type",
            lambda wire: isinstance(run(f"{wire}:small", use_responses, output_type=City).final_output, City),
        ),
    }


run_cases({**cases_of("responses", True), **cases_of("chat", False)})
