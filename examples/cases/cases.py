"""Runs the cases of a client and prints one line of JSON for each: what it tried, and what went wrong."""

import json
import os

origin = os.environ["RATCHET_BASE_URL"]
base_url = f"{origin}/v1"
api_key = os.environ["RATCHET_API_KEY"]
prompt = "How is the weather in Bergen?"
wires = ["sim", "sim-anthropic", "sim-google", "sim-bedrock"]


def run_cases(cases):
    for name, run in cases.items():
        problem = None
        try:
            if run() is False:
                problem = "another answer than expected"
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps({"case": name, "problem": problem}), flush=True)


def on_each_wire(name, run):
    return {f"{name} ({wire})": lambda wire=wire: run(wire) for wire in wires}
