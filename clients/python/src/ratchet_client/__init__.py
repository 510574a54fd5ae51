"""Client of Ratchet's API.

`ratchet_client.api` has a module for each endpoint, and `ratchet_client.models` what they take and return.
"""

from .client import Ratchet
from .error_codes import KnownErrorCode
from .errors import (
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    PaymentRequiredError,
    PermissionDeniedError,
    RatchetError,
    RateLimitError,
    ServerError,
)

__all__ = [
    "AuthenticationError",
    "ConflictError",
    "InvalidRequestError",
    "KnownErrorCode",
    "NotFoundError",
    "PaymentRequiredError",
    "PermissionDeniedError",
    "Ratchet",
    "RatchetError",
    "RateLimitError",
    "ServerError",
]
