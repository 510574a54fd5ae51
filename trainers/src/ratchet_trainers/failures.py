"""Why an attempt ends before its job is done."""


class Superseded(Exception):  # noqa: N818
    """Another attempt runs, or the job has ended. Nothing that this attempt sends is accepted any more."""


class LeaseEnded(Exception):  # noqa: N818
    """The service could not be reached for as long as the lease lasts, so another attempt may have begun."""


class Refused(Exception):  # noqa: N818
    """The service, or its store, refuses a call: trying it again changes nothing."""

    def __init__(self, status: int, code: str, message: str, details: dict | None = None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.details = details or {}


class JobFailure(Exception):  # noqa: N818
    """The job cannot be trained. The message is shown to the customer, so it has no paths and no addresses.

    `code` is one of the contract's `trainerFailures`; `retryable` says whether another attempt may succeed.
    """

    def __init__(self, code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
