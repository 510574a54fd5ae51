# /// script
# requires-python = ">=3.10"
# dependencies = ["instructor==1.17.0"]
# ///
"""instructor: an object of a class, and what it cost."""

import os

import instructor
from openai import OpenAI
from pydantic import BaseModel


class City(BaseModel):
    name: str
    country: str


client = instructor.from_openai(
    OpenAI(base_url=f"{os.environ['RATCHET_BASE_URL']}/v1", api_key=os.environ["RATCHET_API_KEY"])
)
city, completion = client.chat.completions.create_with_completion(
    model=os.environ.get("TOOL_MODEL", "sim/tools"),
    messages=[{"role": "user", "content": "Bergen is in Norway."}],
    response_model=City,
)

print(repr(city))
print(f"{completion.usage.cost_usd} USD")
