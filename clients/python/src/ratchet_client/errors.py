"""Errors of the API as classes."""

from collections.abc import Mapping
from typing import Any

import httpx

from .error_codes import KnownErrorCode


class RatchetError(Exception):
    """An answer of the API that is an error. `code` says which; `request_id` names the request in the logs."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: KnownErrorCode | str | None = None,
        type_: str = "unknown",
        param: str | None = None,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        #: One of a later version is a text that this version does not list.
        self.code = code
        self.type = type_
        self.param = param
        self.request_id = request_id
        self.details: Mapping[str, Any] = details or {}


class InvalidRequestError(RatchetError):
    """400, 405, 408, 413, 415: the request has to change. `param` names the field."""


class AuthenticationError(RatchetError):
    """401."""


class PaymentRequiredError(RatchetError):
    """402: the wallet or a budget does not cover the request."""


class PermissionDeniedError(RatchetError):
    """403."""


class NotFoundError(RatchetError):
    """404."""


class ConflictError(RatchetError):
    """409 and 412: the state of the object does not allow it."""


class RateLimitError(RatchetError):
    """429, after all retries."""


class ServerError(RatchetError):
    """5xx, after all retries."""


_BY_STATUS: dict[int, type[RatchetError]] = {
    401: AuthenticationError,
    402: PaymentRequiredError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: ConflictError,
    429: RateLimitError,
}


def error_of(response: httpx.Response) -> RatchetError:
    """Read an error of any surface; an answer of something between, such as a proxy, has no code."""
    status = response.status_code
    try:
        body = response.json()
    except ValueError:
        body = None
    error = _fields_of(_fields_of(body).get("error"))
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else InvalidRequestError)
    return kind(
        _text_of(error.get("message")) or f"The server answered with {status}.",
        status=status,
        code=_text_of(error.get("code")),
        type_=_text_of(error.get("type")) or "unknown",
        param=_text_of(error.get("param")),
        request_id=_text_of(error.get("request_id")) or response.headers.get("x-request-id"),
        details=_fields_of(error.get("details")),
    )


def _fields_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text_of(value: object) -> str | None:
    return value if isinstance(value, str) else None
