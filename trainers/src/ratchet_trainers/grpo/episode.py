"""An answer while it is being written: one message, or several with results of tools between them."""

from dataclasses import dataclass, field

from ..conversations import Message
from ..job_spec import GrpoRollout
from ..sampling import Sampled


@dataclass
class Episode:
    """`token_ids` are those after the prompt. The mask is 0 where the policy did not sample them."""

    group: int
    index: int
    completion: list[Message] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    calls: int = 0
    truncated: bool = False
    is_last_turn: bool = False
    _entropy: float = 0.0

    @property
    def sampled_tokens(self) -> int:
        return sum(self.mask)

    def say(self, message: Message, sampled: Sampled) -> None:
        """Adds a message of the policy."""
        self.completion.append(message)
        self.token_ids += sampled.token_ids
        self.logprobs += sampled.logprobs
        self.mask += [1] * len(sampled.token_ids)
        self.truncated = not sampled.stopped
        self._entropy += sampled.entropy * len(sampled.token_ids)

    def hear(self, results: list[Message], token_ids: list[int]) -> None:
        """Adds results of tools, with what the template writes around them."""
        self.completion += results
        self.token_ids += token_ids
        self.logprobs += [0.0] * len(token_ids)
        self.mask += [0] * len(token_ids)

    def rollout(self, adapter_version: int) -> GrpoRollout:
        return GrpoRollout(
            group=self.group,
            index=self.index,
            completion=self.completion,
            token_ids=self.token_ids,
            logprobs=self.logprobs,
            token_mask=self.mask if 0 in self.mask else None,
            sampled_tokens=self.sampled_tokens,
            truncated=self.truncated,
            entropy=self._entropy / max(self.sampled_tokens, 1),
            adapter_version=adapter_version,
        )
