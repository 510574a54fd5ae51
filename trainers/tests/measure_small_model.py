"""`python measure_small_model.py FOLDER WEIGHTS`: what a real small model takes here. Prints rows of JSON.

WEIGHTS is SmolLM2-135M-Instruct as GGUF. It learns to be brief: at most eight words, and a full stop.
"""

import resource
import sys
from pathlib import Path
from typing import Any

from conftest import Jobs, prompt
from measuring import ask, first_and_last, measured, served, show
from ratchet_trainers.base_model import load_base
from ratchet_trainers.job_spec import BaseModelSource
from tiny_model import chat_example

STEPS = 10
MAX_WORDS = 8
QUESTIONS = [f"What is {number} plus {number + 15}? Answer in one short sentence." for number in range(12, 60)]
UNSEEN = QUESTIONS[-16:]


def is_brief(answer: str) -> bool:
    return answer.endswith(".") and len(answer.split()) <= MAX_WORDS


def brief_share(rollouts: list[dict[str, Any]]) -> str:
    brief = sum(is_brief(each["completion"][-1]["content"]) for each in rollouts)
    return f"{brief} of {len(rollouts)}"


def measure_job(jobs: Jobs) -> None:
    train = [chat_example(f"What is {n} plus {n + 3}?", f"It is {2 * n + 3}.") for n in range(STEPS * 8)]
    settings = {"learning_rate": 5e-4}
    with jobs.serve(steps=STEPS, train=train, settings=settings, plan={"servable_steps": [STEPS]}) as server:
        _, cpu, wall = measured(lambda: jobs.run(server))
        show(f"SFT, LoRA 8, {STEPS} x 8", f"loss {first_and_last(server.metrics('train_loss'))}", cpu=cpu, wall=wall)


def measure_run(jobs: Jobs) -> None:
    run = {
        "prompts": [prompt(question) for question in QUESTIONS[:-16]],
        "look_prompts": [prompt(question) for question in UNSEEN],
        "reward": {"max_words": MAX_WORDS, "ends_with": "."},
        "save_every": STEPS,
    }
    settings = {"prompts_per_step": 2, "learning_rate": 1e-3, "lora_alpha": 16, "mask_truncated": False}
    with jobs.serve_run(steps=STEPS, run=run, settings=settings) as server:
        _, cpu, wall = measured(lambda: jobs.run(server))
        looks = server.state()["run"]["looks"]
        before, after = (brief_share(looks[step]) for step in ("0", str(STEPS)))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        result = f"brief on unseen prompts {before} → {after}, peak memory {memory:.1f} GB"
        show(f"GRPO, LoRA 8, {STEPS} x 16 answers, 2 looks of 64", result, cpu=cpu, wall=wall)


def measure_server(weights: Path) -> None:
    with served(weights, "small", "small server, ready") as client:
        answers, _, wall = measured(lambda: [ask(client, "small", question) for question in UNSEEN])
        brief = sum(map(is_brief, answers))
        what = "small server, an answer of at most 24 tokens"
        show(what, f"brief {brief} of {len(UNSEEN)}", cpu=None, wall=wall / len(UNSEEN))


def main(folder: Path, weights: Path) -> None:
    source = BaseModelSource(id="small", source=str(weights), sha256=None)
    model, cpu, wall = measured(lambda: load_base(source))
    show("SmolLM2-135M-Instruct, loaded", f"{model.num_parameters():,} weights".replace(",", " "), cpu=cpu, wall=wall)
    del model
    jobs = Jobs(weights, folder)
    measure_job(jobs)
    measure_run(jobs)
    measure_server(weights)


main(Path(sys.argv[1]), Path(sys.argv[2]))
