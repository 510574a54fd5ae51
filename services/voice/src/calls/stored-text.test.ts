import { storedTexts } from './stored-text.ts'

const spec = {
  dtmf: { enabled: true, finish_on: '#', timeout_ms: 3_000, secret: true, can_send: false },
  privacy: { redact_transcript: false, retention_days: 30 },
}

it('leaves out secret values, the longest that fits, and secret keys', () => {
  const { text } = storedTexts(spec, ['4711', '4711-22', 'Ann (B.)', ' '])
  expect(text('It is 4711-22 or 4711, Ann (B.).')).toBe('It is [secret] or [secret], [secret].')
  expect(text('[keypad] 12 34#')).toBe('[keypad]')
})

it('finds nothing in what stands in place of a value', () => {
  const letters = Array.from({ length: 50 }, (_, i) => 'secrt'[i % 5] ?? '')
  expect(storedTexts(spec, letters).text('set')).toBe('[secret][secret][secret]')
})
