import { seededRandom } from '@ratchet/testing/seeded-random'
import { listTraces, maxTraces } from './list-traces.ts'
import type { Step, TraceReads, TraceSummary } from './trace-reads.ts'

const at = new Date('2026-03-01T00:00:00Z')

/** A fake of the store over these steps, the newest first, which never expire. */
function readsOf(steps: readonly Step[]): TraceReads {
  const isBehind = (step: Step, behind: { createdAt: Date } | null) =>
    behind === null || step.createdAt < behind.createdAt
  const matching = ({ traceId = null }: { traceId?: string | null | undefined }) =>
    steps.filter((step) => traceId === null || step.traceId === traceId)
  const traffic = [...Map.groupBy(steps, ({ traceId }) => traceId)].map(([id, own]) => {
    return { id, steps: own.length, lastAt: own[0]?.createdAt ?? at }
  })
  return {
    steps: async ({ filter, behind, limit }) =>
      matching(filter)
        .filter((step) => isBehind(step, behind))
        .slice(0, limit),
    withStepBefore: async ({ filter, behind, traceIds }) =>
      matching(filter)
        .filter((step) => !isBehind(step, behind) && traceIds.includes(step.traceId))
        .map(({ traceId }) => traceId),
    newest: async ({ minSteps, after, limit }) => {
      const all = traffic.filter((trace) => trace.steps >= minSteps)
      const first = after === null ? 0 : all.findIndex(({ id }) => id === after.id) + 1
      return all.slice(first, first + limit)
    },
    traffic: async (_scope, ids) => traffic.filter(({ id }) => ids.includes(id)),
    summaries: async (_scope, ids) =>
      ids.map((id) => ({ id, steps: matching({ traceId: id }).length }) as TraceSummary),
    exchangesOf: async () => [],
    lastOf: async () => null,
    async *spansOf() {},
    span: async () => null,
  }
}

/** Five thousand steps of 1,500 traces in random order, so that steps of a trace lie in several windows. */
const random = seededRandom(1)
const steps = Array.from({ length: 5_000 }, (_, index) => ({
  id: String(index),
  traceId: `t${Math.floor(random() * 1_500)}`,
  createdAt: new Date(at.getTime() - index * 1_000),
}))
const inOrder = [...new Set(steps.map(({ traceId }) => traceId))]

describe.each([
  ['by their traces', {}],
  ['by the steps that match', { tag: 'any' }],
])('listing %s', (_name, filter) => {
  const scope = { workspaceId: 'w', at, filter, minSteps: 1 }

  it('lists every trace once, in the order of its newest step, wherever its other steps are', async () => {
    const found: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const list = await listTraces(readsOf(steps), { ...scope, limit: 200, offset: 0, after })
      found.push(...(list?.data ?? []).map(({ id }) => id))
      after = found.at(-1) ?? null
      more = list?.hasMore ?? false
      expect(list?.total).toBe(maxTraces)
    }
    expect(found).toEqual(inOrder)
  })

  it('skips as many traces as the offset says', async () => {
    const list = await listTraces(readsOf(steps), { ...scope, limit: 3, offset: 1_200, after: null })
    expect(list?.data.map(({ id }) => id)).toEqual(inOrder.slice(1_200, 1_203))
  })

  it('counts only traces with enough steps', async () => {
    const list = await listTraces(readsOf(steps), { ...scope, minSteps: 8, limit: 5, offset: 0, after: null })
    const long = inOrder.filter((id) => steps.filter(({ traceId }) => traceId === id).length >= 8)
    expect([list?.data.map(({ id }) => id), list?.total]).toEqual([long.slice(0, 5), long.length])
  })

  it('returns null for a position behind a trace that does not match', async () => {
    expect(await listTraces(readsOf(steps), { ...scope, limit: 5, offset: 0, after: 'other' })).toBeNull()
  })
})
