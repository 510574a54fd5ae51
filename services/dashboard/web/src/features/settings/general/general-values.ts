import type { ChangeSettings, WorkspaceSettings } from '@ratchet/contracts/dashboard/settings'
import { ChangeSettings as ChangeSettingsSchema } from '@ratchet/contracts/dashboard/settings'
import { z } from 'zod'

/** A number field of a form has an empty text when it is empty. */
const limit = z.union([z.literal(''), z.int().min(1).max(1_000_000_000)])

export const SettingsForm = z.object({
  name: ChangeSettingsSchema.shape.name.unwrap(),
  response_cache: z.boolean(),
  fallback_models: ChangeSettingsSchema.shape.fallback_models.unwrap(),
  evidence_policy: z.enum(['off', 'enforce']),
  requests_per_minute: limit,
  tokens_per_minute: limit,
})
export type GeneralValues = z.infer<typeof SettingsForm>

/** The settings as values of the form. */
export function generalValues({ limits, ...settings }: WorkspaceSettings): GeneralValues {
  return {
    name: settings.name,
    response_cache: settings.response_cache,
    fallback_models: settings.fallback_models,
    evidence_policy: settings.evidence_policy,
    requests_per_minute: limits.requests_per_minute ?? '',
    tokens_per_minute: limits.tokens_per_minute ?? '',
  }
}

/** Only what differs, so that a person without the right to the name can save the rest, and nothing newer is overwritten. */
export function changesOf(before: WorkspaceSettings, values: GeneralValues): ChangeSettings {
  const old = generalValues(before)
  const { requests_per_minute, tokens_per_minute, ...plain } = values
  const changed = Object.entries(plain).filter(([name, value]) => isDifferent(value, old[name as keyof GeneralValues]))
  const limits = Object.entries({ requests_per_minute, tokens_per_minute })
    .filter(([name, value]) => value !== old[name as keyof GeneralValues])
    .map(([name, value]) => [name, value === '' ? null : value])
  return { ...Object.fromEntries(changed), ...(limits.length > 0 ? { limits: Object.fromEntries(limits) } : {}) }
}

function isDifferent(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b)
}
