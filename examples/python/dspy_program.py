# /// script
# requires-python = ">=3.10"
# dependencies = ["dspy==3.4.1"]
# ///
"""DSPy: a program of two fields, whose prompt DSPy writes."""

import os

import dspy

model = dspy.LM(
    f"openai/{os.environ.get('MODEL', 'sim/medium')}",
    api_base=f"{os.environ['RATCHET_BASE_URL']}/v1",
    api_key=os.environ["RATCHET_API_KEY"],
    cache=False,
)
dspy.configure(lm=model)

answer = dspy.Predict("question -> answer")(question="Why is the sky blue?")
print(answer.answer)
print(f"{len(model.history)} calls of the model")
