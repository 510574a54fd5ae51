import type { EvalStatus } from '@ratchet/contracts/evals'
import { publicId } from '@ratchet/contracts/public-id'

/** A message that somebody is still to get: an eval that they wait for is over. */
export interface DueWebhook {
  readonly runId: string
  readonly name: string
  readonly status: EvalStatus
  readonly url: string
  readonly finishedAt: Date
  /** This one counted. */
  readonly attempts: number
}

/** What became of an attempt; null for none of either. */
export interface WebhookOutcome {
  readonly deliveredAt: Date | null
  readonly error: string | null
}

export interface WebhookStore {
  /** Takes on what is due. What is not heard of again is due once more after the delay that the attempts call for. */
  take(limit: number): Promise<readonly DueWebhook[]>
  keep(runId: string, outcome: WebhookOutcome): Promise<void>
}

/** How long messages are tried after the end of an eval, hours. */
export const webhookHours = 24
/** The wait after the first attempt, and the longest one, seconds; it doubles in between. */
export const webhookDelays = { first: 10, longest: 3_600 } as const

/**
 * What is sent. It only names the eval and how it ended, so a message that somebody forged tells nothing: who gets one
 * reads the eval with a key of their own.
 */
export function webhookBody({ runId, name, status, finishedAt }: DueWebhook): string {
  return JSON.stringify({
    type: `eval.${status.toLowerCase()}`,
    timestamp: finishedAt.toISOString(),
    data: { object: 'eval', id: publicId('eval', runId), name, status },
  })
}
