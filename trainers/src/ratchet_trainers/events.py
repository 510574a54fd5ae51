"""Events of an attempt: kept until the service has stored them, and numbered so that repeats do no harm."""

import math
import threading
from datetime import UTC, datetime
from typing import Any

from .client import TrainerClient

MAX_MESSAGE = 2000
MAX_VALUES = 64
MAX_VALUE_NAME = 64


class Events:
    """Collects events from any thread. `flush` sends them."""

    def __init__(self, client: TrainerClient, max_items: int) -> None:
        self._client = client
        self._max_items = max_items
        self._items: list[dict[str, Any]] = []
        self._first_seq = 1
        self._adding = threading.Lock()
        self._sending = threading.Lock()

    def message(self, level: str, text: str, data: dict[str, Any] | None = None) -> None:
        self._add({"type": "message", "level": level, "message": text[:MAX_MESSAGE], "data": data or {}})

    def metrics(self, step: int, values: dict[str, float]) -> None:
        self._add({"type": "metrics", "step": step, "values": finite_values(values)})

    def flush(self) -> None:
        with self._sending:
            while True:
                with self._adding:
                    from_seq, items = self._first_seq, self._items[: self._max_items]
                if not items:
                    return
                stored = self._client.events(from_seq, items).next_seq
                with self._adding:
                    del self._items[: max(0, stored - self._first_seq)]
                    self._first_seq = max(self._first_seq, stored)

    def _add(self, event: dict[str, Any]) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        with self._adding:
            self._items.append({"at": at, **event})


def finite_values(values: dict[str, float]) -> dict[str, float | None]:
    """What JSON can say: a number that is not finite becomes null."""
    kept = list(values.items())[:MAX_VALUES]
    return {name[:MAX_VALUE_NAME]: float(value) if math.isfinite(value) else None for name, value in kept}
