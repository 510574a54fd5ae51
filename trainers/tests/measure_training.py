"""`python measure_training.py FOLDER`: what training and serving the tiny model take here. Prints rows of JSON.

Each phase is a job or a run as the service orders it, over the protocol and with its checkpoints and fingerprints.
"""

import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from conftest import Jobs
from measuring import ask, first_and_last, measured, served, show
from protocol_server import ProtocolServer, eventually, start_trainer
from tiny_model import POLITE, make_base, polite_pairs, questions

STEPS = 24
UNSEEN = questions(99, 40)


def measure_jobs(jobs: Jobs) -> None:
    plan = {"servable_steps": [STEPS]}
    with jobs.serve(steps=STEPS, plan=plan) as server:
        _, cpu, wall = measured(lambda: jobs.run(server))
        show(f"SFT, LoRA 8, {STEPS} x 8", f"loss {first_and_last(server.metrics('train_loss'))}", cpu=cpu, wall=wall)
    with jobs.serve(kind="dpo", steps=STEPS, train=polite_pairs(11, STEPS * 8), plan=plan) as server:
        _, cpu, wall = measured(lambda: jobs.run(server))
        accuracy = first_and_last(server.metrics("train_rewards/accuracies"))
        show(f"DPO, LoRA 8, {STEPS} x 8 pairs", f"pairs ordered right {accuracy}", cpu=cpu, wall=wall)


def measure_run(jobs: Jobs) -> Path:
    with jobs.serve_run(steps=STEPS, run={"reward": {"ends_with": POLITE}, "save_every": 8}) as server:
        _, cpu, wall = measured(lambda: jobs.run(server))
        looks = server.state()["run"]["looks"]
        before, after = (polite_share(looks[step]) for step in ("0", str(STEPS)))
        gaps = [each["stats"]["logprob_gap_max"] for each in server.state()["run"]["trained"]]
        result = f"polite on unseen prompts {before:.0%} → {after:.0%}, largest logprob gap {max(gaps):.0e}"
        show(f"GRPO, LoRA 8, {STEPS} x 32 answers", result, cpu=cpu, wall=wall)
        adapter = jobs.folder / "adapter"
        adapter.mkdir()
        for name in ("adapter_model.safetensors", "adapter_config.json"):
            (adapter / name).write_bytes(server.file(STEPS, name))
        return adapter


def polite_share(rollouts: list[dict[str, Any]]) -> float:
    return statistics.mean(each["completion"][-1]["content"].endswith(POLITE) for each in rollouts)


def measure_kills(jobs: Jobs) -> None:
    run = {"reward": {"ends_with": POLITE}}
    with jobs.serve_run(steps=12, run=run) as server:
        jobs.run(server)
        undisturbed = server.state()["run"]
        expected = server.file(12, "adapter_model.safetensors")
    began_at = time.perf_counter()
    with jobs.serve_run(steps=12, run=run) as server:
        trainer = start_trainer(server, server.new_attempt())
        for step in (3, 7, 11):
            eventually(lambda step=step: sampled(server, step), f"step {step}", trainer)
            kill(trainer)
            trainer = start_trainer(server, server.new_attempt())
        trainer.wait(300)
        found, adapter = server.state()["run"], server.file(12, "adapter_model.safetensors")
    same = "bit-equal" if adapter == expected else "DIFFERENT"
    twice = sum(times > 1 for times in (*found["verdicts"].values(), *found["sent"].values()))
    replayed = len(found["trained"]) - len(undisturbed["trained"])
    result = f"{same}, {replayed} steps replayed, {twice} answers asked or judged twice"
    show("GRPO, 12 steps, killed at 3, 7 and 11", result, cpu=None, wall=time.perf_counter() - began_at)


def sampled(server: ProtocolServer, step: int) -> bool:
    return str(step) in server.state()["run"]["rollouts"]


def kill(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(60)


def measure_server(base: Path, adapter: Path) -> None:
    with served(base, "tiny/base", "small server, ready") as client:
        load = {"lora_name": "mv_1", "lora_path": str(adapter)}
        response, _, wall = measured(lambda: client.post("/v1/load_lora_adapter", json=load))
        show("small server, adapter loaded", str(response.status_code), cpu=None, wall=wall)
        for model, name in (("tiny/base", "base"), ("mv_1", "adapter")):
            answers, _, wall = measured(lambda model=model: [ask(client, model, each) for each, _ in UNSEEN])
            polite = sum(answer.endswith(POLITE) for answer in answers)
            result = f"polite {polite} of {len(UNSEEN)}"
            show(f"small server, an answer of the {name}", result, cpu=None, wall=wall / len(UNSEEN))


def main(folder: Path) -> None:
    base, cpu, wall = measured(lambda: make_base(folder / "base"))
    show("base model, all weights, 150 x 32", "842 112 weights", cpu=cpu, wall=wall)
    jobs = Jobs(base, folder)
    measure_jobs(jobs)
    adapter = measure_run(jobs)
    measure_kills(jobs)
    measure_server(base, adapter)


main(Path(sys.argv[1]))
