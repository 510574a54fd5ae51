"""Calls of OpenAI's SDK that an instrumentation of OpenTelemetry records and sends to the gateway."""

from openai import OpenAI
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from cases import api_key, base_url, is_whole, kept_call, origin, prompt, run_cases

weather = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


def run_traced_cases(instrumentor):
    exporter = OTLPSpanExporter(endpoint=f"{origin}/v1/traces", headers={"Authorization": f"Bearer {api_key}"})
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    instrumentor.instrument(tracer_provider=provider)
    tracer = provider.get_tracer("cases")
    # The call itself is not logged, so that the entry in the log is that of the span.
    client = OpenAI(base_url=base_url, api_key=api_key, max_retries=0, default_headers={"X-Svc-Log": "off"})

    def traced(call):
        with tracer.start_as_current_span("case") as span:
            call()
        return is_whole(kept_call(trace.format_trace_id(span.get_span_context().trace_id)))

    def chat(model, **more):
        question = [{"role": "user", "content": prompt}]
        return client.chat.completions.create(model=model, messages=question, **more)

    def stream():
        return list(chat("sim/small", stream=True, stream_options={"include_usage": True}))

    run_cases(
        {
            "chat": lambda: traced(lambda: chat("sim/small")),
            "tools": lambda: traced(lambda: chat("sim/tools", tools=[weather])),
            "stream": lambda: traced(stream),
            "responses": lambda: traced(lambda: client.responses.create(model="sim/small", input=prompt)),
        }
    )
