import { rememberingCount } from './remembered-count.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 0, 0, seconds))

it.each([
  ['counts a small log anew', 9_999, [9_999, 10_000, 10_000]],
  ['remembers a large count for half a minute', 10_000, [10_000, 10_000, 10_001]],
])('%s', async (_name, first, expected) => {
  let next = first
  const count = rememberingCount(async () => next++)
  const answers: unknown[] = []
  for (const seconds of [0, 29, 30]) answers.push(await count({ workspaceId: 'w', at: at(seconds) }))
  expect(answers).toEqual(expected)
})

it('remembers neither a failure nor what is another workspace’s', async () => {
  const answers = [null, 20_000, 30_000]
  const count = rememberingCount(async () => answers.shift() ?? null)
  expect(await count({ workspaceId: 'a', at: at(0) })).toBeNull()
  expect(await count({ workspaceId: 'a', at: at(1) })).toBe(20_000)
  expect(await count({ workspaceId: 'b', at: at(1) })).toBe(30_000)
})
