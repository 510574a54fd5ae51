import { ChangeSettings, type WorkspaceSettings } from '@ratchet/contracts/dashboard/settings'
import { changesOf, generalValues, SettingsForm } from './general-values.ts'

const settings: WorkspaceSettings = {
  object: 'settings',
  slug: 'demo',
  name: 'Demo',
  logging: { enabled: true, retention_days: 30, responses: false },
  response_cache: false,
  fallback_models: ['sim/small'],
  limits: { requests_per_minute: null, tokens_per_minute: 5_000 },
  evidence_policy: 'off',
}

it('sends nothing when nothing changed', () => {
  expect(changesOf(settings, generalValues(settings))).toEqual({})
})

it('sends only what changed, and an empty limit as none', () => {
  const values = {
    ...generalValues(settings),
    fallback_models: [],
    tokens_per_minute: '' as const,
    requests_per_minute: 60,
  }
  const changes = changesOf(settings, values)
  expect(changes).toEqual({ fallback_models: [], limits: { requests_per_minute: 60, tokens_per_minute: null } })
  expect(ChangeSettings.safeParse(changes).success).toBe(true)
})

it('reads its own values as valid', () => {
  expect(SettingsForm.safeParse(generalValues(settings)).success).toBe(true)
})
