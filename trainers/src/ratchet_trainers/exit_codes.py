"""How an attempt ends, as a number."""

# The job is done, its failure is reported, or another attempt has taken over.
EXIT_DONE = 0
# The service starts another attempt.
EXIT_LOST = 1
# It stopped when it was asked to.
EXIT_STOPPED = 75
