"""When a request is sent again, and after how long."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import httpx

_TRANSIENT = frozenset({408, 429, 500, 502, 503, 504})
_SAFE_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE"})

#: Failures without an answer that may be gone at the next attempt.
LOST = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)


@dataclass(frozen=True)
class Retries:
    """A request that changes something is repeated only when the server would recognize it.

    It does by the method, or by the `Idempotency-Key`. A request that was refused with 429 did nothing.
    """

    #: Further attempts after the first.
    max_retries: int
    #: A longer `Retry-After` is not waited for: the error is raised.
    max_delay: float
    random: Callable[[], float]

    def delay_after(self, request: httpx.Request, response: httpx.Response | None, attempt: int) -> float | None:
        """Seconds to wait before the next attempt, or None if there is none. Attempts count from 0."""
        if attempt >= self.max_retries or not _is_worth_retrying(request, response):
            return None
        delay = self._delay_of(response, attempt)
        return None if delay > self.max_delay else delay

    def _delay_of(self, response: httpx.Response | None, attempt: int) -> float:
        """Half a second, doubled each time, and a random part, so that many clients do not come back together."""
        asked = None if response is None else _seconds_of(response.headers.get("retry-after"))
        return min(0.5 * 2**attempt, 8.0) * (0.5 + self.random() / 2) if asked is None else asked


def _is_worth_retrying(request: httpx.Request, response: httpx.Response | None) -> bool:
    if response is None:
        return _can_repeat(request)
    status = response.status_code
    if status == 429:
        return True
    return _can_repeat(request) and (status in _TRANSIENT or (status == 409 and "retry-after" in response.headers))


def _can_repeat(request: httpx.Request) -> bool:
    """After a lost answer, a change of a certain version would be answered as a conflict with itself."""
    is_safe = request.method in _SAFE_METHODS and "if-match" not in request.headers
    return is_safe or "idempotency-key" in request.headers


def _seconds_of(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
