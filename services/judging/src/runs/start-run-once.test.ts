import type { Request } from 'express'
import type { JudgeRun } from './judge-run.ts'
import { type RunOrder, startRunOnce } from './start-run-once.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'

function runsInMemory() {
  const stored = new Map<string, JudgeRun>()
  let ids = 0
  return {
    stored,
    deps: {
      runs: { get: async ({ id }: { id: string }) => stored.get(id) ?? null },
      newId: () => `new-${++ids}`,
    },
    /** As a table with the id as its key. */
    start: (requested: RunOrder['requested']) => async (id: string) => {
      if (stored.has(id)) throw new Error('duplicate key')
      const run = { id, ...requested } as JudgeRun
      stored.set(id, run)
      return run
    },
  }
}

function order(key: string | undefined, more: Partial<RunOrder> = {}): RunOrder {
  const request = { get: (name: string) => (name === 'Idempotency-Key' ? key : undefined) } as Request
  const requested = { request: { sampleCount: 5 }, maxCostNano: null }
  return { request, workspaceId, criterionId: 'c1', kind: 'scan', requested, ...more }
}

it('starts a run for each request without a key', async () => {
  const { deps, start, stored } = runsInMemory()
  for (const _ of [1, 2]) await startRunOnce(deps, order(undefined), start(order('').requested))
  expect([...stored.keys()]).toEqual(['new-1', 'new-2'])
})

it('returns the same run for a repeated key', async () => {
  const { deps, start, stored } = runsInMemory()
  const first = await startRunOnce(deps, order('k'), start(order('k').requested))
  const second = await startRunOnce(deps, order('k'), start(order('k').requested))
  expect([first.headers, second.headers]).toEqual([{}, { 'Idempotent-Replay': 'true' }])
  expect(second.run).toEqual(first.run)
  expect(stored.size).toBe(1)
})

it('starts one run for two requests at once', async () => {
  const { deps, start, stored } = runsInMemory()
  const both = await Promise.all([1, 2].map(() => startRunOnce(deps, order('k'), start(order('k').requested))))
  expect(both[0]?.run.id).toBe(both[1]?.run.id)
  expect(stored.size).toBe(1)
})

it.each([
  ['of another judge', { criterionId: 'c2' }],
  ['of another workspace', { workspaceId: 'w2' }],
  ['of another kind of run', { kind: 'improvement' as const }],
])('distinguishes keys %s', async (_case, more) => {
  const { deps, start, stored } = runsInMemory()
  await startRunOnce(deps, order('k'), start(order('k').requested))
  await startRunOnce(deps, order('k', more), start(order('k').requested))
  expect(stored.size).toBe(2)
})

it('refuses a key that was used for another request', async () => {
  const { deps, start } = runsInMemory()
  await startRunOnce(deps, order('k'), start(order('k').requested))
  const other = order('k', { requested: { request: { sampleCount: 6 }, maxCostNano: null } })
  await expect(startRunOnce(deps, other, start(other.requested))).rejects.toMatchObject({
    code: 'idempotency_conflict',
  })
})

it.each(['', 'a b', 'x'.repeat(256), 'ä'])('refuses the key %j', async (key) => {
  const { deps, start } = runsInMemory()
  const starting = startRunOnce(deps, order(key), start(order(key).requested))
  await expect(starting).rejects.toMatchObject({ code: 'invalid_request', param: 'Idempotency-Key' })
})
