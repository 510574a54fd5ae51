import { isCompleted } from './trace-object.ts'

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
