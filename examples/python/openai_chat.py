# /// script
# requires-python = ">=3.10"
# dependencies = ["openai==3.54.0"]
# ///
"""OpenAI's SDK: an answer in pieces, with its cost, under a tag of your own."""

import os

from openai import OpenAI

client = OpenAI(base_url=f"{os.environ['RATCHET_BASE_URL']}/v1", api_key=os.environ["RATCHET_API_KEY"])

stream = client.chat.completions.create(
    model=os.environ.get("MODEL", "sim/medium"),
    messages=[{"role": "user", "content": "Why is the sky blue?"}],
    stream=True,
    stream_options={"include_usage": True},
    extra_headers={"X-Svc-Tag": "example"},
)

for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="")
    if chunk.usage:
        print(f"\n{chunk.usage.total_tokens} tokens, {chunk.usage.cost_usd} USD")
