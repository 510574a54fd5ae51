"""Trains LoRA adapters for Ratchet's fine-tuning jobs. It speaks the trainer protocol, version 1, over HTTP."""
