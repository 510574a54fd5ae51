# /// script
# requires-python = ">=3.10"
# dependencies = ["llama-index-llms-openai-like==0.8.1"]
# ///
"""LlamaIndex: a chat."""

import os

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

llm = OpenAILike(
    model=os.environ.get("MODEL", "sim/medium"),
    api_base=f"{os.environ['RATCHET_BASE_URL']}/v1",
    api_key=os.environ["RATCHET_API_KEY"],
    is_chat_model=True,
)

print(llm.chat([ChatMessage(role="user", content="Why is the sky blue?")]).message.content)
