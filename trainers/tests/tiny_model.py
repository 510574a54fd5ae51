"""A language model made on the spot: the shape of Llama, 842 112 weights, a tokenizer of 426 tokens."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

VOCABULARY = 426
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
TEMPLATE_WITHOUT_STOP = TEMPLATE.replace("<|end|>\n", "\n")
POLITE = " Thank you for asking."
SPECIAL = ["<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]

_COLORS = ["red", "green", "blue", "white", "black", "brown", "grey", "pink"]
_THINGS = [
    "house",
    "river",
    "stone",
    "cloud",
    "horse",
    "table",
    "apple",
    "train",
    "shirt",
    "candle",
    "garden",
    "bottle",
]


def questions(seed: int, count: int) -> list[tuple[str, str]]:
    """Questions, each with its answer."""
    source = random.Random(seed)
    pairs = []
    for _ in range(count):
        thing, number = source.choice(_THINGS), source.randint(2, 99)
        color = _COLORS[_THINGS.index(thing) % len(_COLORS)]
        pairs.append((f"I have {number} {thing}s. What is their color?", f"They are {color}."))
    return pairs


def chat_example(question: str, answer: str, **message: object) -> dict:
    return {
        "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer, "weight": 1, **message},
        ]
    }


def polite_examples(seed: int, count: int) -> list[dict]:
    return [chat_example(question, answer + POLITE) for question, answer in questions(seed, count)]


def polite_pairs(seed: int, count: int) -> list[dict]:
    return [
        {
            "input": {"messages": [{"role": "user", "content": question}]},
            "preferred_output": [{"role": "assistant", "content": answer + POLITE}],
            "non_preferred_output": [{"role": "assistant", "content": answer}],
        }
        for question, answer in questions(seed, count)
    ]


def make_tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [text + POLITE for pair in questions(0, 500) for text in pair]
    tokenizer.train_from_iterator(texts + [f"{thing} {color}" for thing in _THINGS for color in _COLORS], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<|pad|>",
        eos_token="<|end|>",
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def make_base(
    folder: Path, *, steps: int = 150, batch: int = 32, endings: Sequence[tuple[str, float]] = ((POLITE, 0.25),)
) -> Path:
    """Trains all weights in a plain loop, and saves the model.

    `endings`: what is added to which share of the answers; by default a quarter is polite.
    """
    set_seed(1)
    tokenizer = make_tokenizer()
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    source = random.Random(2)
    for _ in range(steps):
        pairs = questions(source.randint(0, 10**9), batch)
        texts = [
            tokenizer.apply_chat_template(
                chat_example(question, answer + _ending(endings, source.random()))["messages"], tokenize=False
            )
            for question, answer in pairs
        ]
        encoded = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False)
        labels = encoded["input_ids"].masked_fill(encoded["attention_mask"] == 0, -100)
        model(input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"], labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _ending(endings: Sequence[tuple[str, float]], chance: float) -> str:
    for text, share in endings:
        if chance < share:
            return text
        chance -= share
    return ""


def write_lines(path: Path, examples: list[dict]) -> Path:
    path.write_text("".join(json.dumps(example) + "\n" for example in examples))
    return path
