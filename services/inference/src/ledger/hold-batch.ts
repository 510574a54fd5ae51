import { BatchQueueFull, createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import { type Hold, type HoldOutcome, LedgerUnavailable } from './ledger.ts'
import { isOverBudget } from './over-budget.ts'

export interface HoldBatchOptions {
  /** Runs the hold statement for holds with different ids. */
  readonly takeHolds: (holds: readonly Hold[]) => Promise<ReadonlyMap<string, HoldOutcome>>
  /** Milliseconds without any answer of the database after which a hold fails. */
  readonly silenceMs: number
  /** Maximum milliseconds that a hold may take, including the queue, with a database that is busy but answers. */
  readonly maxMs: number
  /** Maximum number of holds in one statement, ≥ 1. */
  readonly maxBatch?: number
}

/** A hold that waits or runs. If its caller no longer waits, it is not sent; if it was sent, it may still commit. */
interface Attempt {
  readonly hold: Hold
  sent: boolean
  isAbandoned: boolean
}

/** Batches holds. A refusal counts only when a second statement, begun after the first, repeats it. */
export function createHoldBatch({ takeHolds, silenceMs, maxMs, maxBatch = 200 }: HoldBatchOptions) {
  const pulse = createHeartbeat()
  const takeAndListen = async (holds: readonly Hold[]) => {
    const outcomes = await takeHolds(holds)
    pulse.beat()
    return outcomes
  }
  const run = (attempts: readonly Attempt[]) => runAttempts(takeAndListen, attempts)
  const first = createGroupCommit({ run, overlapAfterMs: 20, maxBatch })
  const second = createGroupCommit({ run, maxInFlight: 1, maxBatch })

  async function twice(attempt: Attempt): Promise<HoldOutcome> {
    const outcome = await first.add(attempt).catch(asUnavailable)
    return outcome === 'refused' || outcome === 'capped' || isOverBudget(outcome) ? second.add(attempt) : outcome
  }

  return {
    hold(hold: Hold): Promise<HoldOutcome> {
      const attempt: Attempt = { hold, sent: false, isAbandoned: false }
      const onLate = (waitedMs: number) => {
        attempt.isAbandoned = true
        return new LedgerUnavailable(`no answer to a hold in ${Math.round(waitedMs)} ms`, { uncertain: attempt.sent })
      }
      return withTimeout(twice(attempt), { silenceMs, maxMs, pulse, onLate })
    },
    async idle() {
      await first.idle()
      await second.idle()
    },
  }
}

async function runAttempts(
  takeHolds: HoldBatchOptions['takeHolds'],
  attempts: readonly Attempt[],
): Promise<readonly HoldOutcome[]> {
  const toSend = new Map<string, Attempt>()
  for (const attempt of attempts) {
    if (!attempt.isAbandoned && !toSend.has(attempt.hold.billingId)) toSend.set(attempt.hold.billingId, attempt)
  }
  for (const attempt of toSend.values()) attempt.sent = true
  const holds = [...toSend.values()].map(({ hold }) => hold)
  const outcomes = holds.length === 0 ? new Map<string, HoldOutcome>() : await takeHolds(holds)
  return attempts.map((attempt) => {
    const outcome = outcomes.get(attempt.hold.billingId) ?? 'refused'
    const isRepeat = outcome === 'held' && toSend.get(attempt.hold.billingId) !== attempt
    return isRepeat ? 'open' : outcome
  })
}

/** The queue is full when the database does not keep up. Nothing of the hold was sent. */
function asUnavailable(cause: unknown): never {
  if (!(cause instanceof BatchQueueFull)) throw cause
  throw new LedgerUnavailable('too many holds are waiting', { uncertain: false, cause })
}
