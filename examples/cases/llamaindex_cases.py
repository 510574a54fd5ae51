from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike

from cases import api_key, base_url, on_each_wire, prompt, run_cases


def weather(city: str) -> str:
    """The weather of a city."""
    return "Rain."


tool = FunctionTool.from_defaults(weather)
question = [ChatMessage(role="user", content=prompt)]


def model(name):
    return OpenAILike(
        model=name, api_base=base_url, api_key=api_key, is_chat_model=True, is_function_calling_model=True, max_retries=0
    )


def calls_tool(wire):
    llm = model(f"{wire}/tools")
    response = llm.chat_with_tools([tool], chat_history=question)
    return [call.tool_name for call in llm.get_tool_calls_from_response(response)] == ["weather"]


run_cases(
    {
        **on_each_wire("chat", lambda wire: len(model(f"{wire}/small").chat(question).message.content) > 0),
        **on_each_wire("stream", lambda wire: len(list(model(f"{wire}/small").stream_chat(question))[-1].message.content) > 0),
        **on_each_wire("tools", calls_tool),
    }
)
