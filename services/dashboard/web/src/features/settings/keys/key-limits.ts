import type { ApiKey } from '@ratchet/contracts/dashboard/keys'
import { PersonName } from '@ratchet/contracts/dashboard/values'
import { z } from 'zod'

/** A number field of a form has an empty text when it is empty. */
const limit = z.union([z.literal(''), z.int().min(1).max(1_000_000_000)], {
  error: 'This must be a whole number from 1 to 1,000,000,000, or empty.',
})

/** What a person chooses of a key. */
export const KeyValues = z.object({
  name: PersonName,
  requests_per_minute: limit,
  tokens_per_minute: limit,
  /** A day (UTC) as 2026-12-31, or empty. */
  expires: z.string(),
  /** With commas or spaces between them. */
  models: z.string().refine((text) => globsOf(text).length <= 50, 'This must be at most 50 names.'),
})
export type KeyValues = z.infer<typeof KeyValues>

export const newKeyValues: KeyValues = {
  name: '',
  requests_per_minute: '',
  tokens_per_minute: '',
  expires: '',
  models: '',
}

type KeySettings = Pick<ApiKey, 'name' | 'requests_per_minute' | 'tokens_per_minute' | 'expires_at' | 'allowed_models'>

export function keyValues({
  name,
  requests_per_minute: requests,
  tokens_per_minute: tokens,
  ...key
}: KeySettings): KeyValues {
  return {
    name,
    requests_per_minute: requests ?? '',
    tokens_per_minute: tokens ?? '',
    expires: key.expires_at?.slice(0, 10) ?? '',
    models: key.allowed_models.join(', '),
  }
}

function globsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((glob) => glob !== '')
}

/** The values as the body of an endpoint: an empty field is no limit. */
export function keySettings({
  name,
  requests_per_minute: requests,
  tokens_per_minute: tokens,
  expires,
  models,
}: KeyValues): KeySettings {
  return {
    name,
    requests_per_minute: requests === '' ? null : requests,
    tokens_per_minute: tokens === '' ? null : tokens,
    expires_at: expires === '' ? null : `${expires}T00:00:00.000Z`,
    allowed_models: globsOf(models),
  }
}

/** Only what differs, so that nothing newer is overwritten, and a limit of others is not touched. */
export function keyChanges(key: KeySettings, values: KeyValues): Partial<KeySettings> {
  const [before, after] = [keySettings(keyValues(key)), keySettings(values)]
  const names = ['name', 'requests_per_minute', 'tokens_per_minute', 'expires_at', 'allowed_models'] as const
  const changed = names.filter((name) => String(after[name]) !== String(before[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}
