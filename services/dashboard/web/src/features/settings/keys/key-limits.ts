import type { ApiKey } from '@ratchet/contracts/dashboard/keys'
import { PersonName } from '@ratchet/contracts/dashboard/values'
import { z } from 'zod'

/** A number field of a form has an empty text when it is empty. */
const limit = z.union([z.literal(''), z.int().min(1).max(1_000_000_000)], {
  error: 'This must be a whole number from 1 to 1,000,000,000, or empty.',
})

/** What a person chooses of a key. */
export const KeyValues = z.object({ name: PersonName, requests_per_minute: limit, tokens_per_minute: limit })
export type KeyValues = z.infer<typeof KeyValues>

export const newKeyValues: KeyValues = { name: '', requests_per_minute: '', tokens_per_minute: '' }

type KeySettings = Pick<ApiKey, 'name' | 'requests_per_minute' | 'tokens_per_minute'>

export function keyValues({ name, requests_per_minute: requests, tokens_per_minute: tokens }: KeySettings): KeyValues {
  return { name, requests_per_minute: requests ?? '', tokens_per_minute: tokens ?? '' }
}

/** The values as the body of an endpoint: an empty field is no limit. */
export function keySettings({
  name,
  requests_per_minute: requests,
  tokens_per_minute: tokens,
}: KeyValues): KeySettings {
  return {
    name,
    requests_per_minute: requests === '' ? null : requests,
    tokens_per_minute: tokens === '' ? null : tokens,
  }
}

/** Only what differs, so that nothing newer is overwritten, and a limit of others is not touched. */
export function keyChanges(key: KeySettings, values: KeyValues): Partial<KeySettings> {
  const after = keySettings(values)
  const names = ['name', 'requests_per_minute', 'tokens_per_minute'] as const
  return Object.fromEntries(names.filter((name) => after[name] !== key[name]).map((name) => [name, after[name]]))
}
