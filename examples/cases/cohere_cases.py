import cohere

from cases import api_key, origin, run_cases

documents = ["Bergen is rainy.", "Bread is baked."]


def rerank(client):
    results = client.rerank(model="sim/rerank", query="weather", documents=documents, top_n=1).results
    return [result.index for result in results] == [0]


run_cases(
    {
        "rerank": lambda: rerank(cohere.Client(api_key, base_url=origin)),
        "rerank of version 2": lambda: rerank(cohere.ClientV2(api_key, base_url=origin)),
    }
)
