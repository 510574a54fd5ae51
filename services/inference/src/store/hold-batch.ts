import { createNaturalBatch } from '@ratchet/service-kit/natural-batch'
import { type Hold, type HoldOutcome, LedgerUnavailable } from '../domain/ledger.ts'
import { withinMs } from '../within-ms.ts'

export interface HoldBatchOptions {
  /** Runs the hold statement for holds with different ids. */
  readonly takeHolds: (holds: readonly Hold[]) => Promise<ReadonlyMap<string, HoldOutcome>>
  /** From asking to answering, time in the queue included. */
  readonly timeoutMs: number
}

export interface HoldBatch {
  hold(hold: Hold): Promise<HoldOutcome>
  idle(): Promise<void>
}

/** A hold on its way. What nobody waits for any more is not sent; what was sent may commit. */
interface Attempt {
  readonly hold: Hold
  sent: boolean
  givenUp: boolean
}

/** Batches holds. A refusal counts only when a second statement, begun after the first, repeats it. */
export function createHoldBatch({ takeHolds, timeoutMs }: HoldBatchOptions): HoldBatch {
  const run = (attempts: readonly Attempt[]) => runAttempts(takeHolds, attempts)
  const first = createNaturalBatch({ run })
  const second = createNaturalBatch({ run, maxInFlight: 1 })

  async function twice(attempt: Attempt): Promise<HoldOutcome> {
    const outcome = await first.add(attempt)
    return outcome === 'refused' ? second.add(attempt) : outcome
  }

  return {
    hold(hold) {
      const attempt: Attempt = { hold, sent: false, givenUp: false }
      return withinMs(timeoutMs, twice(attempt), () => {
        attempt.givenUp = true
        return new LedgerUnavailable(`no answer to a hold in ${timeoutMs} ms`, { uncertain: attempt.sent })
      })
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
    if (!attempt.givenUp && !toSend.has(attempt.hold.requestId)) toSend.set(attempt.hold.requestId, attempt)
  }
  for (const attempt of toSend.values()) attempt.sent = true
  const holds = [...toSend.values()].map(({ hold }) => hold)
  const outcomes = holds.length === 0 ? new Map<string, HoldOutcome>() : await takeHolds(holds)
  return attempts.map((attempt) => {
    const outcome = outcomes.get(attempt.hold.requestId) ?? 'refused'
    const isRepeat = outcome === 'held' && toSend.get(attempt.hold.requestId) !== attempt
    return isRepeat ? 'open' : outcome
  })
}
