import os

from cases import api_key, base_url, is_whole, kept_call, origin, prompt, run_cases

os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = origin
os.environ["OTEL_EXPORTER_OTLP_HEADERS"] = f"Authorization=Bearer {api_key}"

import logfire
from openai import OpenAI
from opentelemetry import trace
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

logfire.configure(send_to_logfire=False, console=False, service_name="cases")
logfire.instrument_pydantic_ai()
# The call itself is not logged, so that the entry in the log is that of the span.
client = OpenAI(base_url=base_url, api_key=api_key, max_retries=0, default_headers={"X-Svc-Log": "off"})
logfire.instrument_openai(client)
weather = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


def traced(call):
    with logfire.span("case") as span:
        call()
    logfire.force_flush()
    return is_whole(kept_call(trace.format_trace_id(span.get_span_context().trace_id)))


def chat(model, **more):
    question = [{"role": "user", "content": prompt}]
    return client.chat.completions.create(model=model, messages=question, **more)


def agent():
    from openai import AsyncOpenAI

    unlogged = AsyncOpenAI(base_url=base_url, api_key=api_key, default_headers={"X-Svc-Log": "off"})
    model = OpenAIChatModel("sim/small", provider=OpenAIProvider(openai_client=unlogged))
    return Agent(model).run_sync(prompt)


run_cases(
    {
        "openai: chat": lambda: traced(lambda: chat("sim/small")),
        "openai: tools": lambda: traced(lambda: chat("sim/tools", tools=[weather])),
        "pydantic-ai: run": lambda: traced(agent),
    }
)
