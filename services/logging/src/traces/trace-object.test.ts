import { isCompleted, traceSpanOf } from './trace-object.ts'

const lastAt = new Date('2026-03-01T00:00:00Z')
const minutesLater = (minutes: number) => new Date(lastAt.getTime() + minutes * 60_000)

it.each([
  ['stop', 10, true],
  ['stop', 9.99, false],
  ['tool_calls', 60, false],
  ['length', 60, false],
  [null, 60, false],
])('a run whose last step ended with %s %d minutes ago: completed %s', (lastFinishReason, minutes, expected) => {
  expect(isCompleted({ lastFinishReason, lastAt }, minutesLater(minutes))).toBe(expected)
})

it('returns the numbers of a span with all of their digits', () => {
  const attributes = '{"order.id":12345678901234567890,"ratio":1.0}'
  const span = { spanId: 'a1', parentSpanId: null, name: 'look', kind: 'internal', status: 'ok' } as const
  const read = { ...span, startedAt: lastAt, endedAt: lastAt, attributes }
  expect(JSON.stringify(traceSpanOf(read).attributes)).toBe(attributes)
})
