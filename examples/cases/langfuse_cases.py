from cases import api_key, base_url, is_whole, kept_call, origin, prompt, run_cases

from langfuse import Langfuse
from langfuse.openai import OpenAI
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

exporter = OTLPSpanExporter(endpoint=f"{origin}/v1/traces", headers={"Authorization": f"Bearer {api_key}"})
langfuse = Langfuse(public_key="pk-lf-cases", secret_key="sk-lf-cases", base_url=origin, span_exporter=exporter)
# The call itself is not logged, so that the entry in the log is that of the span.
client = OpenAI(base_url=base_url, api_key=api_key, max_retries=0, default_headers={"X-Svc-Log": "off"})


def traced(call):
    with langfuse.start_as_current_observation(name="case", as_type="span"):
        trace_id = langfuse.get_current_trace_id()
        call()
    langfuse.flush()
    # Langfuse records no finish reason.
    return is_whole(kept_call(trace_id), ends=[None])


def chat(**more):
    return client.chat.completions.create(model="sim/small", messages=[{"role": "user", "content": prompt}], **more)


run_cases(
    {
        "chat": lambda: traced(chat),
        "stream": lambda: traced(lambda: list(chat(stream=True, stream_options={"include_usage": True}))),
    }
)
