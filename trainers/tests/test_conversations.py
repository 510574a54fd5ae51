"""Which tokens are trained."""

import pytest
from transformers import PreTrainedTokenizerFast

from ratchet_trainers.conversations import IGNORED, ConversationReader, Turns, Unusable
from tiny_model import TEMPLATE_WITHOUT_STOP, make_tokenizer

# Earlier answers lose their reasoning, as with some models that think.
FORGETFUL = (
    "{% for message in messages %}<|{{ message.role }}|>"
    "{{ message.content if loop.last else message.content.split('#')[-1] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
# The prompt to answer has more than is kept of it.
THINKING = (
    "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n#{% endif %}"
)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_tokenizer()


@pytest.fixture
def reader(tokenizer: PreTrainedTokenizerFast) -> ConversationReader:
    return ConversationReader(tokenizer, frozenset([tokenizer.eos_token_id]))


def trained(tokenizer: PreTrainedTokenizerFast, turns: Turns) -> str:
    return tokenizer.decode([label for label in turns.labels if label != IGNORED])


def with_template(tokenizer: PreTrainedTokenizerFast, template: str) -> ConversationReader:
    other = make_tokenizer()
    other.chat_template = template
    return ConversationReader(other, frozenset([tokenizer.eos_token_id]))


USER = {"role": "user", "content": "What is red?"}


def test_answers_are_trained_up_to_their_stop_token_and_nothing_else_is(tokenizer, reader) -> None:
    turns = reader.chat(
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                USER,
                {"role": "assistant", "content": "A house."},
                USER,
                {"role": "assistant", "content": "A stone.", "weight": 1},
            ]
        }
    )
    assert trained(tokenizer, turns) == "A house.<|end|>A stone.<|end|>"
    assert turns.stops
    assert len(turns.labels) == len(turns.input_ids)
    assert all(label in (IGNORED, token) for label, token in zip(turns.labels, turns.input_ids, strict=True))


def test_an_answer_of_weight_0_is_read_but_not_trained(tokenizer, reader) -> None:
    messages = [
        USER,
        {"role": "assistant", "content": "A lie.", "weight": 0},
        USER,
        {"role": "assistant", "content": "A stone.", "weight": 1},
    ]
    turns = reader.chat({"messages": messages})
    assert trained(tokenizer, turns) == "A stone.<|end|>"
    assert "A lie." in tokenizer.decode(turns.input_ids)


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        ({"messages": [USER, {"role": "assistant", "content": "No.", "weight": 0}]}, "empty"),
        ({"messages": [USER]}, "empty"),
        ({"messages": []}, "empty"),
        ({}, "empty"),
        ({"messages": ["hello"]}, "unreadable"),
        ({"messages": [USER, {"role": "assistant", "content": [{"type": "image_url"}]}]}, "unreadable"),
        (
            {"messages": [USER, {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]},
            "unreadable",
        ),
    ],
)
def test_examples_that_cannot_be_trained_say_why(reader, example: dict, reason: str) -> None:
    with pytest.raises(Unusable) as problem:
        reader.chat(example)
    assert problem.value.reason == reason


def test_parts_of_text_are_joined_and_developers_are_systems(tokenizer, reader) -> None:
    parts = [{"type": "text", "text": "A "}, {"type": "text", "text": "stone."}]
    turns = reader.chat(
        {"messages": [{"role": "developer", "content": "Be brief."}, USER, {"role": "assistant", "content": parts}]}
    )
    assert tokenizer.decode(turns.input_ids).startswith("<|system|>Be brief.")
    assert trained(tokenizer, turns) == "A stone.<|end|>"


def test_a_template_that_writes_earlier_answers_differently_is_refused_where_it_matters(tokenizer) -> None:
    reader = with_template(tokenizer, FORGETFUL)
    earlier = {"role": "assistant", "content": "hm#A house."}
    last = {"role": "assistant", "content": "hm#A stone."}
    with pytest.raises(Unusable, match="template"):
        reader.chat({"messages": [USER, earlier, USER, last]})
    turns = reader.chat({"messages": [USER, {**earlier, "weight": 0}, USER, last]})
    assert trained(tokenizer, turns) == "hm#A stone.<|end|>"


def test_what_only_the_prompt_has_is_not_missed(tokenizer) -> None:
    turns = with_template(tokenizer, THINKING).chat({"messages": [USER, {"role": "assistant", "content": "A stone."}]})
    assert trained(tokenizer, turns) == "A stone.<|end|>"


def test_a_template_without_a_stop_token_is_noticed(tokenizer) -> None:
    reader = with_template(tokenizer, TEMPLATE_WITHOUT_STOP)
    assert not reader.chat({"messages": [USER, {"role": "assistant", "content": "A stone."}]}).stops


def test_pairs_share_their_prompt(tokenizer, reader) -> None:
    pair = reader.preference(
        {
            "input": {"messages": [USER]},
            "preferred_output": [{"role": "assistant", "content": "A stone."}],
            "non_preferred_output": [{"role": "assistant", "content": "A house."}],
        }
    )
    assert tokenizer.decode(pair.prompt_ids).startswith("<|user|>What is red?<|end|>\n<|assistant|>")
    # Tokens that both answers begin with belong to the prompt.
    whole = [tokenizer.decode(pair.prompt_ids + ids) for ids in (pair.chosen_ids, pair.rejected_ids)]
    assert [text.split("<|assistant|>")[1] for text in whole] == ["A stone.<|end|>", "A house.<|end|>"]
    assert pair.prompt_ids == reader.prompt_ids([USER])


def test_equal_answers_are_no_pair(reader) -> None:
    answer = [{"role": "assistant", "content": "A stone."}]
    example = {"input": {"messages": [USER]}, "preferred_output": answer, "non_preferred_output": answer}
    with pytest.raises(Unusable, match="equal_answers"):
        reader.preference(example)
