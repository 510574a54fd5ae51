import { type ChangeLimits, WorkspaceLimits } from '@ratchet/contracts/dashboard/admin-limits'
import { z } from 'zod'

/** A number field has an empty text when it is empty, and the text that was typed when that is no number. */
const limit = z.union([z.literal(''), WorkspaceLimits.shape.requests_per_minute.unwrap()], {
  error: 'This must be a whole number from 1 to 2,147,483,647, or empty.',
})

export const LimitValues = z.object({
  requests_per_minute: limit,
  tokens_per_minute: limit,
  guarded_calls_per_minute: limit,
})
export type LimitValues = z.infer<typeof LimitValues>

/** The limits as values of the form. */
export function limitValues(limits: WorkspaceLimits): LimitValues {
  return {
    requests_per_minute: limits.requests_per_minute ?? '',
    tokens_per_minute: limits.tokens_per_minute ?? '',
    guarded_calls_per_minute: limits.guarded_calls_per_minute ?? '',
  }
}

/** Only what differs from the limits that were shown, so that nothing newer is overwritten. */
export function limitChanges(shown: WorkspaceLimits, values: LimitValues): ChangeLimits {
  const old = limitValues(shown)
  const changed = Object.entries(values).filter(([name, value]) => value !== old[name as keyof LimitValues])
  return Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value]))
}
