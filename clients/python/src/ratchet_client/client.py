"""The connection to a deployment, which the functions of `ratchet_client.api` take as `client`."""

import os
import random
import time
from types import TracebackType
from typing import Any, Self

import anyio
import httpx

from .errors import error_of
from .retry import LOST, Retries


class Ratchet:
    """A client of one deployment with one key, for `sync` and `asyncio` functions.

    An answer with an error is raised as `RatchetError`, after the retries; a lost connection as an error of httpx.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        max_retries: int = 2,
        max_delay: float = 60.0,
        timeout: float | httpx.Timeout = 600.0,
        **options: Any,
    ) -> None:
        """Connect to `base_url`, such as `https://ratchet.example.com`, with a key of the workspace, `sk_svc_…`.

        Args:
            base_url: by default, `RATCHET_BASE_URL` of the environment.
            api_key: by default, `RATCHET_API_KEY` of the environment.
            max_retries: further attempts after the first.
            max_delay: seconds; the error is raised when the server asks for a longer wait.
            timeout: seconds.
            options: further arguments of `httpx.Client` and `httpx.AsyncClient`, such as `verify` or `proxy`.
        """
        headers = {**options.pop("headers", {}), "Authorization": f"Bearer {_setting('RATCHET_API_KEY', api_key)}"}
        base = _setting("RATCHET_BASE_URL", base_url).rstrip("/")
        self._options: dict[str, Any] = {**options, "base_url": base, "headers": headers, "timeout": timeout}
        self._retries = Retries(max_retries=max_retries, max_delay=max_delay, random=random.SystemRandom().random)
        self._client: httpx.Client | None = None
        self._async_client: httpx.AsyncClient | None = None

    def send(self, **parts: Any) -> httpx.Response:
        """Send a request, described as for `httpx.Client.build_request`, and again while that can help."""
        client = self._client = self._client or httpx.Client(**self._options)
        request = client.build_request(**parts)
        # A body that is read once can be sent again.
        request.read()
        attempt = 0
        while True:
            try:
                response = client.send(request)
            except LOST:
                delay = self._retries.delay_after(request, None, attempt)
                if delay is None:
                    raise
            else:
                delay = self._retries.delay_after(request, response, attempt)
                if delay is None:
                    return _checked(response)
            time.sleep(delay)
            attempt += 1

    async def send_async(self, **parts: Any) -> httpx.Response:
        """As `send`, for a program with asyncio or trio."""
        client = self._async_client = self._async_client or httpx.AsyncClient(**self._options)
        request = client.build_request(**parts)
        await request.aread()
        attempt = 0
        while True:
            try:
                response = await client.send(request)
            except LOST:
                delay = self._retries.delay_after(request, None, attempt)
                if delay is None:
                    raise
            else:
                delay = self._retries.delay_after(request, response, attempt)
                if delay is None:
                    return _checked(response)
            await anyio.sleep(delay)
            attempt += 1

    def close(self) -> None:
        """End the connections of `sync` functions."""
        if self._client is not None:
            self._client.close()
            self._client = None

    async def aclose(self) -> None:
        """End the connections of `asyncio` functions."""
        if self._async_client is not None:
            await self._async_client.aclose()
            self._async_client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _setting(name: str, value: str | None) -> str:
    found = os.environ.get(name, "") if value is None else value
    if found == "":
        raise ValueError(f"{name} is not set, and no other value was given.")
    return found


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_success or response.status_code == 304:
        return response
    raise error_of(response)
