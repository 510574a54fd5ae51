import dspy

from cases import api_key, base_url, on_each_wire, prompt, run_cases

def model(name, **settings):
    return dspy.LM(f"openai/{name}", api_base=base_url, api_key=api_key, cache=False, num_retries=0, **settings)

def predict(wire, adapter):
    with dspy.context(lm=model(f"{wire}/small"), adapter=adapter):
        return len(dspy.Predict("question -> answer")(question=prompt).answer) > 0

def by_responses(wire):
    with dspy.context(lm=model(f"{wire}/small", model_type="responses")):
        return len(dspy.Predict("question -> answer")(question=prompt).answer) > 0

run_cases(
    {
        **on_each_wire("predict", lambda wire: predict(wire, dspy.ChatAdapter())),
        **on_each_wire("predict with JSON", lambda wire: predict(wire, dspy.JSONAdapter())),
        **on_each_wire("predict by responses", by_responses),
    }
)
