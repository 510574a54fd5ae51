"""Loads the base model with its tokenizer, and puts an adapter on it."""

import hashlib
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    set_seed,
)

from .failures import JobFailure
from .job_spec import BaseModelSource, ChatTemplate, GrpoSpec, JobSpec


def on_gpu() -> bool:
    return torch.cuda.is_available()


def load_tokenizer(base: BaseModelSource, template: ChatTemplate | None) -> PreTrainedTokenizerBase:
    """Loads the tokenizer with the template that the model is trained, and later served, with."""
    tokenizer = _loaded(lambda: AutoTokenizer.from_pretrained(**_source(base), trust_remote_code=False))
    if template is not None:
        if text_sha256(template.text) != template.sha256:
            raise JobFailure("base_model_unavailable", "The chat template does not have the hash of the catalog.")
        tokenizer.chat_template = template.text
    if not isinstance(tokenizer.chat_template, str):
        raise JobFailure("base_model_unavailable", "The base model has no chat template.")
    if not tokenizer.is_fast:
        raise JobFailure(
            "base_model_unavailable", "The tokenizer of the base model is of a kind that is not supported."
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_base(base: BaseModelSource) -> PreTrainedModel:
    """Loads the weights: safetensors or GGUF, and no code that comes with them."""
    dtype = torch.bfloat16 if on_gpu() else torch.float32
    options: dict[str, Any] = {"dtype": dtype, "trust_remote_code": False}
    if not base.source.endswith(".gguf"):
        options["use_safetensors"] = True
    model = _loaded(lambda: AutoModelForCausalLM.from_pretrained(**_source(base), **options))
    if base.source.endswith(".gguf"):
        _forget_quantiser(model)
    return model


def load_stop_ids(base: BaseModelSource, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Tokens at which an engine ends an answer: those of the model's settings for generation, and the tokenizer's."""
    source = _source(base)
    try:
        told = GenerationConfig.from_pretrained(source["pretrained_model_name_or_path"]).eos_token_id
    except OSError:
        told = _loaded(lambda: AutoConfig.from_pretrained(**source, trust_remote_code=False)).eos_token_id
    listed = told if isinstance(told, list) else [told]
    return frozenset(each for each in (*listed, tokenizer.eos_token_id) if each is not None)


def add_adapter(base: PreTrainedModel, spec: JobSpec | GrpoSpec, warm_start: Path | None) -> PeftModel:
    """Puts a new adapter, or that of the version which the job starts from, on all linear layers."""
    settings = spec.hyperparameters
    if settings.lora_rank is None:
        raise JobFailure("internal_error", "This trainer trains adapters only, not all weights.")
    # The weights of a new adapter are random.
    set_seed(spec.seed)
    if warm_start is not None:
        model = PeftModel.from_pretrained(base, warm_start, is_trainable=True)
        # The file has the catalog's name, which PEFT would look up on the hub.
        model.peft_config["default"].base_model_name_or_path = spec.base_model.source
        return model
    lora = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha or settings.lora_rank,
        lora_dropout=0.0,
        target_modules="all-linear",
        bias="none",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(base, lora)


def text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def weights_sha256(folder: Path) -> str:
    """The hash of the weights: that of the only file, else that of what `sha256sum *.safetensors` prints."""
    hashes = [(path.name, _file_sha256(path)) for path in sorted(folder.glob("*.safetensors"))]
    if len(hashes) == 1:
        return hashes[0][1]
    return text_sha256("".join(f"{sha256}  {name}\n" for name, sha256 in hashes))


def check_weights(base: BaseModelSource) -> None:
    """Compares the weights with the hash of the catalog, where it has one. Raises `JobFailure`."""
    if base.sha256 is None:
        return
    path = Path(base.source)
    if path.is_dir():
        found = weights_sha256(path)
    elif path.is_file():
        found = _file_sha256(path)
    else:
        raise JobFailure("base_model_unavailable", "Only the weights of a folder can be compared with a hash.")
    if found != base.sha256:
        raise JobFailure("base_model_unavailable", "The weights of the base model do not have the hash of the catalog.")


def _forget_quantiser(model: PreTrainedModel) -> None:
    """The weights of a GGUF file are ordinary ones once they are loaded, but the model is still marked as quantised."""
    model.is_quantized = False
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config


def _source(base: BaseModelSource) -> dict[str, str]:
    path = Path(base.source)
    if path.suffix == ".gguf":
        return {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    return {"pretrained_model_name_or_path": base.source}


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _loaded(load: Any) -> Any:
    try:
        return load()
    except (OSError, ValueError) as error:
        raise JobFailure("base_model_unavailable", "The base model could not be loaded.", retryable=True) from error
