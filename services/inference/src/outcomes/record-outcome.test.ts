import type { FailedRequest } from './count-outcomes.ts'
import { newNotes } from './outcome-notes.ts'
import { recordOutcome } from './record-outcome.ts'

function modelOf(named: string): string {
  const failed: FailedRequest[] = []
  const at = new Date(1_800_000_000_000)
  const over = { requestId: 'r', workspaceId: 'w', keyId: null, tag: null, startedAt: at, at }
  recordOutcome(
    { ended: () => undefined, failed: (one) => void failed.push(one) },
    { ...over, notes: { ...newNotes(), model: named }, outcome: 'model_unknown' },
  )
  return failed[0]?.model ?? ''
}

it.each([
  ['a secret', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a', '[redacted]'],
  ['a secret behind a name', 'acme/ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'acme/[redacted]'],
  ['a name', 'acme/fast-2', 'acme/fast-2'],
])('stores %s that a failed request has for a model without what is secret', (_what, named, stored) => {
  expect(modelOf(named)).toBe(stored)
})

it('cuts a long name behind its secrets', () => {
  const model = modelOf(`${'a'.repeat(110)} ghp_16C7e42F292c6912E7710c838347Ae178B4a`)
  expect(model).toBe(`${'a'.repeat(110)} [redacted]`)
})
