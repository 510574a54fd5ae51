from openinference.instrumentation.openai import OpenAIInstrumentor

from openai_traces import run_traced_cases

run_traced_cases(OpenAIInstrumentor())
