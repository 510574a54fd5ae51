import instructor
from openai import OpenAI
from pydantic import BaseModel

from cases import api_key, base_url, on_each_wire, prompt, run_cases


class City(BaseModel):
    city: str


def create(wire, model, mode):
    client = instructor.from_openai(OpenAI(base_url=base_url, api_key=api_key, max_retries=0), mode=mode)
    messages = [{"role": "user", "content": prompt}]
    made = client.chat.completions.create(
        model=f"{wire}/{model}", messages=messages, response_model=City, max_retries=0
    )
    return isinstance(made, City)


run_cases(
    {
        **on_each_wire("TOOLS", lambda wire: create(wire, "tools", instructor.Mode.TOOLS)),
        **on_each_wire("JSON_SCHEMA", lambda wire: create(wire, "small", instructor.Mode.JSON_SCHEMA)),
    }
)
