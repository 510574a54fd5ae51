import litellm

from cases import api_key, base_url, on_each_wire, prompt, run_cases

messages = [{"role": "user", "content": prompt}]


def chat(wire, **more):
    return litellm.completion(
        model=f"openai/{wire}/small", api_base=base_url, api_key=api_key, messages=messages, num_retries=0, **more
    )


run_cases(
    {
        **on_each_wire("completion", lambda wire: len(chat(wire).choices[0].message.content) > 0),
        **on_each_wire("stream", lambda wire: len(list(chat(wire, stream=True))) > 1),
        "embedding": lambda: len(
            litellm.embedding(model="openai/sim/embed", api_base=base_url, api_key=api_key, input=["a", "b"]).data
        )
        == 2,
    }
)
