"""A small inference server: the part of vLLM's HTTP interface that Ratchet uses, for machines without vLLM."""
