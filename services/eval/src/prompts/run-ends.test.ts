import type { LoggedRun } from '@ratchet/contracts/internal-logs'
import { logEntry, logUuid, orderOf } from './log-entry.fixture.ts'
import { createRunEnds } from './run-ends.ts'

type Log = Parameters<typeof createRunEnds>[0]

function runOf(trace_id: string, places: readonly number[], more: Partial<LoggedRun> = {}): LoggedRun {
  const steps = places.map((place) => logEntry(place, { trace_id }))
  const times = { last_at: '2026-11-24T00:00:00.000Z', expires_at: '2026-12-24T00:00:00.000Z' }
  return { trace_id, completed: true, step_count: steps.length, steps, ...times, ...more }
}

const found = [
  runOf('run-1', [10, 11, 12]),
  runOf('run-2', [20]),
  runOf('continued', [30, 31], { completed: false }),
  runOf('too-long', [], { step_count: 501 }),
]

function logWith(deleted: readonly number[] = []) {
  const requests: unknown[] = []
  const log: Log = {
    async drawRuns(_identity, request) {
      requests.push(request)
      return { totalRuns: 9, traceIds: found.map(({ trace_id: id }) => id) }
    },
    readRuns: async (_identity, traceIds) => found.filter(({ trace_id: id }) => traceIds.includes(id)),
    async entry(_identity, id) {
      const place = Number(id.slice(-12))
      return deleted.includes(place) ? null : logEntry(place, { trace_id: null })
    },
  }
  return { ends: createRunEnds(log), requests }
}

it('surveys the last steps of as many runs as there are samples', async () => {
  const { ends, requests } = logWith()
  const filters = { trace_replay: true, tag: 't' }
  const order = orderOf({ baseline_model: 'logged', sample_filters: filters, sample_count: 12, seed: 4 })
  expect(await ends.survey(order)).toEqual({
    eligible: 9,
    distinct: 2,
    tokens: [12, 20].map((place) => ({ prompt: 10 + place, completion: place })),
  })
  expect(requests).toEqual([{ filters: { tag: 't' }, count: 12, seed: 4 }])
})

it('draws one sample of each run, so that long runs do not count more', async () => {
  const drawn = await logWith().ends.draw(orderOf())
  expect(drawn.map(({ logId, traceId, cluster }) => [logId, traceId, cluster])).toEqual([
    [logUuid(12), 'run-1', 'run-1'],
    [logUuid(20), 'run-2', 'run-2'],
  ])
  expect(drawn[0]).toMatchObject({ reference: { content: 'Answer 12.' } })
  expect((await logWith([12]).ends.draw(orderOf())).map(({ traceId }) => traceId)).toEqual(['run-2'])
})
