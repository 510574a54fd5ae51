# /// script
# requires-python = ">=3.10"
# dependencies = ["anthropic==2.12.0"]
# ///
"""Anthropic's SDK: works with the models of every provider."""

import os

from anthropic import Anthropic

client = Anthropic(base_url=os.environ["RATCHET_BASE_URL"], api_key=os.environ["RATCHET_API_KEY"])

message = client.messages.create(
    model=os.environ.get("MODEL", "sim/medium"),
    max_tokens=500,
    messages=[{"role": "user", "content": "Why is the sky blue?"}],
)

for block in message.content:
    if block.type == "text":
        print(block.text)
print(f"{message.usage.output_tokens} tokens written, {message.usage.cost_usd} USD")
