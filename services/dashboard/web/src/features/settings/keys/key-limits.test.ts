import { KeyValues, keyChanges, keySettings, keyValues, newKeyValues } from './key-limits.ts'

const key = {
  name: 'deploy',
  requests_per_minute: 60,
  tokens_per_minute: null,
  expires_at: null,
  allowed_models: [],
}

it('sends an empty field as no limit', () => {
  expect(keySettings({ ...newKeyValues, name: 'deploy', requests_per_minute: 60 })).toEqual(key)
  expect(keySettings(keyValues(key))).toEqual(key)
})

it('sends a day and names of models, and keeps a time that nobody changed', () => {
  const values = { ...keyValues(key), expires: '2026-12-31', models: 'openai/*, support  cheap' }
  expect(keySettings(values)).toMatchObject({
    expires_at: '2026-12-31T00:00:00.000Z',
    allowed_models: ['openai/*', 'support', 'cheap'],
  })
  const set = { ...key, expires_at: '2026-12-31T12:34:56.000Z', allowed_models: ['openai/*'] }
  expect(keyChanges(set, keyValues(set))).toEqual({})
  expect(keyChanges(set, { ...keyValues(set), expires: '', models: '' })).toEqual({
    expires_at: null,
    allowed_models: [],
  })
})

it('changes only what differs', () => {
  expect(keyChanges(key, keyValues(key))).toEqual({})
  expect(keyChanges(key, { ...keyValues(key), requests_per_minute: '' })).toEqual({ requests_per_minute: null })
  expect(keyChanges(key, { ...keyValues(key), name: 'ci', tokens_per_minute: 5 })).toEqual({
    name: 'ci',
    tokens_per_minute: 5,
  })
})

it('says at the field what a limit may be', () => {
  const found = KeyValues.safeParse({ ...keyValues(key), tokens_per_minute: 'many' })
  expect(found.error?.issues[0]).toMatchObject({
    path: ['tokens_per_minute'],
    message: expect.stringMatching(/or empty/),
  })
})
