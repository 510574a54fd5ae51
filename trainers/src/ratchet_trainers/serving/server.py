"""vLLM's routes: health, models, adapters, chat completions."""

import json
import logging
import time
import uuid
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from transformers.generation.streamers import BaseStreamer

from ..sampling import Sampled
from .engine import Engine, Question, Refusal

MAX_BODY_BYTES = 16 << 20

log = logging.getLogger(__name__)


class _Body(BaseModel):
    """Further keys are ignored, as vLLM does."""

    model_config = ConfigDict(extra="ignore")


class LoadAdapter(_Body):
    lora_name: str = Field(min_length=1, max_length=200)
    lora_path: str = Field(min_length=1)


class UnloadAdapter(_Body):
    lora_name: str


class StreamOptions(_Body):
    include_usage: bool = False


class Chat(_Body):
    model: str
    messages: list[dict[str, Any]] = Field(min_length=1)
    tools: list[dict[str, Any]] | None = None
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    temperature: float = Field(1.0, ge=0)
    top_p: float = Field(1.0, gt=0, le=1)
    n: int = Field(1, ge=1, le=64)
    seed: int | None = None
    logprobs: bool = False
    return_token_ids: bool = False
    stream: bool = False
    stream_options: StreamOptions | None = None


class _Pieces(BaseStreamer):
    """Hands over text as soon as it is whole: a token may end in the middle of a character."""

    def __init__(self, engine: Engine, send: Callable[[str], None]) -> None:
        self._engine = engine
        self._send = send
        self._ids: list[int] = []
        self._sent = 0
        self._is_prompt = True

    def put(self, value: torch.Tensor) -> None:
        if self._is_prompt:
            self._is_prompt = False
            return
        self._ids.extend(value.flatten().tolist())
        text = self._engine.text(self._ids)
        if not text.endswith("\ufffd"):
            self._hand_over(text)

    def end(self) -> None:
        self._hand_over(self._engine.text(self._ids))

    def _hand_over(self, text: str) -> None:
        if len(text) > self._sent:
            self._send(text[self._sent :])
            self._sent = len(text)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine: Engine

    def do_GET(self) -> None:
        self._answer({"/health": self._health, "/metrics": self._metrics, "/v1/models": self._models})

    def do_POST(self) -> None:
        self._answer(
            {
                "/v1/load_lora_adapter": self._load,
                "/v1/unload_lora_adapter": self._unload,
                "/v1/chat/completions": self._chat,
            }
        )

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        log.debug(format, *args)

    def _answer(self, routes: dict[str, Callable[[], None]]) -> None:
        try:
            route = routes.get(self.path.split("?", 1)[0])
            if route is None:
                raise Refusal(HTTPStatus.NOT_FOUND, "NotFoundError", "Not Found")
            route()
        except Refusal as refusal:
            self._refuse(refusal.status, refusal.kind, str(refusal))
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(map(str, problem["loc"]))
            self._refuse(HTTPStatus.BAD_REQUEST, "BadRequestError", f"{where}: {problem['msg']}")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _health(self) -> None:
        self._reply(b"", "text/plain")

    def _metrics(self) -> None:
        """The metric of vLLM that says which adapters have requests."""
        names = ",".join(self.engine.adapters_with_requests())
        labels = f'max_lora="0",running_lora_adapters="{names}",waiting_lora_adapters=""'
        self._reply(f"vllm:lora_requests_info{{{labels}}} {time.time()}\n".encode(), "text/plain; version=0.0.4")

    def _models(self) -> None:
        engine = self.engine
        base = {"id": engine.name, "root": engine.name, "parent": None, "max_model_len": engine.context}
        adapters = [{"id": name, "root": path, "parent": engine.name} for name, path in engine.adapters().items()]
        data = [{"object": "model", "created": 0, "owned_by": "ratchet", **each} for each in (base, *adapters)]
        self._json({"object": "list", "data": data})

    def _load(self) -> None:
        body = LoadAdapter.model_validate(self._body())
        self.engine.load(body.lora_name, body.lora_path)
        self._reply(f"Success: LoRA adapter '{body.lora_name}' added successfully.".encode(), "text/plain")

    def _unload(self) -> None:
        body = UnloadAdapter.model_validate(self._body())
        self.engine.unload(body.lora_name)
        self._reply(f"Success: LoRA adapter '{body.lora_name}' removed successfully.".encode(), "text/plain")

    def _chat(self) -> None:
        chat = Chat.model_validate(self._body())
        if chat.stream and chat.n > 1:
            raise Refusal(HTTPStatus.BAD_REQUEST, "BadRequestError", "`n` is 1 with `stream`.")
        question = Question(
            model=chat.model,
            messages=chat.messages,
            tools=chat.tools,
            max_tokens=chat.max_completion_tokens or chat.max_tokens,
            temperature=chat.temperature,
            top_p=chat.top_p,
            samples=chat.n,
            seed=chat.seed,
        )
        prompt = self.engine.prompt(question)
        head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": chat.model}
        if chat.stream:
            self._stream(chat, question, prompt, head)
            return
        answers = self.engine.answer(question, prompt)
        reply = {
            **head,
            "object": "chat.completion",
            "choices": [self._choice(chat, index, answer) for index, answer in enumerate(answers)],
            "usage": _usage(prompt, answers),
        }
        self._json({**reply, "prompt_token_ids": prompt} if chat.return_token_ids else reply)

    def _choice(self, chat: Chat, index: int, answer: Sampled) -> dict[str, Any]:
        choice: dict[str, Any] = {
            "index": index,
            "message": {"role": "assistant", "content": self.engine.text(answer.token_ids)},
            "finish_reason": _reason(answer),
            "logprobs": None,
        }
        if chat.logprobs:
            pairs = zip(answer.token_ids, answer.logprobs, strict=True)
            content = [
                {"token": text, "logprob": logprob, "bytes": list(text.encode()), "top_logprobs": []}
                for text, logprob in ((self.engine.token(token), logprob) for token, logprob in pairs)
            ]
            choice["logprobs"] = {"content": content}
        if chat.return_token_ids:
            choice["token_ids"] = answer.token_ids
        return choice

    def _stream(self, chat: Chat, question: Question, prompt: list[int], head: dict[str, Any]) -> None:
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("connection", "close")
        self.end_headers()
        chunk = {**head, "object": "chat.completion.chunk"}

        def send(delta: dict[str, Any], reason: Literal["stop", "length"] | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
            self._event({**chunk, "choices": [choice]})

        send({"role": "assistant", "content": ""})
        pieces = _Pieces(self.engine, lambda text: send({"content": text}))
        answers = self.engine.answer(question, prompt, pieces)
        send({}, _reason(answers[0]))
        if chat.stream_options and chat.stream_options.include_usage:
            self._event({**chunk, "choices": [], "usage": _usage(prompt, answers)})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, value: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
        self.wfile.flush()

    def _body(self) -> Any:
        length = int(self.headers.get("content-length") or 0)
        if length > MAX_BODY_BYTES:
            self.close_connection = True
            raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "BadRequestError", "The body is too large.")
        try:
            return json.loads(self.rfile.read(length))
        except ValueError as error:
            raise Refusal(HTTPStatus.BAD_REQUEST, "BadRequestError", "The body is not JSON.") from error

    def _refuse(self, status: HTTPStatus, kind: str, message: str) -> None:
        error = {"message": message, "type": kind, "param": None, "code": int(status)}
        self._json({"error": error}, status)

    def _json(self, value: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        self._reply(json.dumps(value).encode(), "application/json", status)

    def _reply(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def make_server(engine: Engine, host: str, port: int) -> ThreadingHTTPServer:
    """A server that is bound, and not started. Port 0 is any free one."""
    handler = type("EngineHandler", (Handler,), {"engine": engine})
    return ThreadingHTTPServer((host, port), handler)


def _usage(prompt: list[int], answers: list[Sampled]) -> dict[str, int]:
    completion = sum(len(answer.token_ids) for answer in answers)
    return {
        "prompt_tokens": len(prompt),
        "completion_tokens": completion,
        "total_tokens": len(prompt) + completion,
    }


def _reason(answer: Sampled) -> Literal["stop", "length"]:
    return "stop" if answer.stopped else "length"
