"""What the service tells a trainer: the answer of `GET /spec` and of the other calls.

The contract is `trainer-spec.ts`, `trainer-protocol.ts`, `trainer-tools.ts`, `grpo-spec.ts` and `grpo-protocol.ts` of
`packages/contracts/src`. Keys that are not listed are ignored.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

Command = Literal["continue", "checkpoint", "pause", "cancel"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class StoredFile(_Answer):
    name: str
    sha256: str
    bytes: int
    url: str


class DatasetFile(_Answer):
    format: Literal["chat", "preference"]
    sha256: str
    bytes: int
    examples: int
    url: str


class Hyperparameters(_Answer):
    n_epochs: int
    batch_size: int
    learning_rate: float
    lora_rank: int | None
    lora_alpha: float | None
    beta: float | None
    max_sequence_length: int
    on_too_long: Literal["drop", "truncate_left", "fail"]
    early_stopping_patience: int | None


class Plan(_Answer):
    total_steps: int
    total_tokens: int
    servable_steps: tuple[int, ...]
    save_every_steps: int
    save_every_seconds: int


class Limits(_Answer):
    heartbeat_seconds: float
    lease_seconds: float
    grace_seconds: float
    max_files: int
    max_file_bytes: int
    max_checkpoint_bytes: int
    max_events: int


class BaseModelSource(_Answer):
    id: str
    source: str
    sha256: str | None
    chat_template_sha256: str | None = None


class ChatTemplate(_Answer):
    text: str
    sha256: str


class Resume(_Answer):
    step: int
    trained_tokens: int
    files: tuple[StoredFile, ...]


class JobSpec(_Answer):
    protocol: Literal[1]
    job_id: str
    attempt: int
    kind: Literal["supervised", "dpo"]
    base_model: BaseModelSource
    chat_template: ChatTemplate | None
    hyperparameters: Hyperparameters
    seed: int
    dataset: DatasetFile
    validation: DatasetFile | None
    plan: Plan
    resume: Resume | None
    warm_start: tuple[StoredFile, ...] | None
    limits: Limits
    probes: tuple[str, ...]


class GrpoHyperparameters(_Answer):
    group_size: int
    prompts_per_step: int
    max_steps: int
    learning_rate: float
    kl_beta: float
    lora_rank: int
    lora_alpha: float
    temperature: float
    top_p: float
    max_output_tokens: int
    max_context_length: int
    loss_method: Literal["grpo", "dr_grpo", "dapo", "gspo"]
    mask_truncated: bool
    importance_cap: float


class GrpoPlan(_Answer):
    total_steps: int


class GrpoResume(_Answer):
    step: int
    files: tuple[StoredFile, ...]


class GrpoEnvironment(_Answer):
    tools: list[dict[str, Any]]
    max_turns: int


class ToolAnswer(_Answer):
    result: str
    done: bool


class GrpoSpec(_Answer):
    protocol: Literal[1]
    job_id: str
    attempt: int
    kind: Literal["grpo"]
    base_model: BaseModelSource
    chat_template: ChatTemplate | None
    hyperparameters: GrpoHyperparameters
    environment: GrpoEnvironment | None
    seed: int
    plan: GrpoPlan
    resume: GrpoResume | None
    warm_start: tuple[StoredFile, ...] | None
    limits: Limits
    probes: tuple[str, ...]


class AnySpec(RootModel[JobSpec | GrpoSpec]):
    root: JobSpec | GrpoSpec = Field(discriminator="kind")


class GrpoGroup(_Answer):
    group: int
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None
    samples: int


class GrpoRollout(_Answer):
    """An answer of the policy, as it is sent and as it comes back."""

    group: int
    index: int
    completion: list[dict[str, Any]]
    token_ids: list[int]
    logprobs: list[float]
    token_mask: list[int] | None
    sampled_tokens: int
    truncated: bool
    entropy: float | None
    adapter_version: int


class GrpoReward(_Answer):
    group: int
    index: int
    reward: float
    advantage: float
    used: bool


class GrpoStepState(_Answer):
    step: int
    state: Literal["wait", "sample", "judging", "rewarded", "stop", "finish"]
    groups: tuple[GrpoGroup, ...]
    rollouts: tuple[GrpoRollout, ...]
    replayed: bool


class GrpoRewards(_Answer):
    state: Literal["sample", "judging", "rewarded", "stop", "finish"]
    rewards: tuple[GrpoReward, ...]


class TrainedReply(_Answer):
    save: bool
    look: bool
    finish: bool


class HeartbeatReply(_Answer):
    command: Command
    lease_until: str
    token: str | None


class DataReply(_Answer):
    covered: bool
    plan: Plan


class Upload(_Answer):
    name: str
    url: str | None
    headers: dict[str, str]


class BeginReply(_Answer):
    uploads: tuple[Upload, ...]


class CommitReply(_Answer):
    step: int
    trained_tokens: int
    stop: bool


class EventsReply(_Answer):
    next_seq: int
