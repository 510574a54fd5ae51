"""Runs the cases of a client and prints one line of JSON for each: what it tried, and what went wrong."""

import json
import os
import time
import urllib.request

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


def read(path):
    request = urllib.request.Request(f"{base_url}{path}", headers={"Authorization": f"Bearer {api_key}"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def kept_call(trace_id, seconds=20):
    """The only model call of a trace in the log, with its messages; waits for it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        entries = read(f"/logs?trace_id={trace_id}")["data"]
        if len(entries) > 0:
            assert len(entries) == 1, f"{len(entries)} entries"
            return read(f"/logs/{entries[0]['id']}")
        time.sleep(0.5)
    raise TimeoutError("the log has no call of this trace")


def is_whole(entry, ends=("stop", "tool_calls")):
    """Whether a call came with what was asked and answered, its tokens and how it ended."""
    asked, answered = entry["messages"][-1], entry["response"]
    return (
        prompt in json.dumps(asked)
        and (len(answered.get("content") or "") > 0 or len(answered.get("tool_calls") or []) > 0)
        and entry["prompt_tokens"] > 0
        and entry["completion_tokens"] > 0
        and entry["finish_reason"] in ends
    )
