import { logEntry, logUuid, orderOf } from './log-entry.fixture.ts'
import { createRunSteps } from './run-steps.ts'

type Log = Parameters<typeof createRunSteps>[0]

/** A log with runs of these steps, of which some are deleted when they are read. */
function logWith(runs: Readonly<Record<string, readonly number[]>>, deleted: readonly number[] = []) {
  const requests: Parameters<Log['runs']>[1][] = []
  const reads: string[] = []
  const log: Log = {
    async runs(_identity, request) {
      requests.push(request)
      const drawn = Object.entries(runs).map(([traceId, steps]) => ({
        traceId,
        steps: steps.map((place) => logEntry(place, { trace_id: traceId, step_index: place % 10 })),
      }))
      return { totalRuns: 9, eligibleSteps: 40, runs: drawn }
    },
    async entry(_identity, id) {
      reads.push(id)
      const place = Number(id.slice(-12))
      const [traceId = null] = Object.entries(runs).find(([, steps]) => steps.includes(place)) ?? []
      return deleted.includes(place) ? null : logEntry(place, { trace_id: traceId, step_index: place % 10 })
    },
  }
  return { steps: createRunSteps(log), requests, reads }
}

const runs = { 'run-1': [10, 11, 12], 'run-2': [20], 'run-3': [30, 31] }

it('surveys the steps of whole runs', async () => {
  const { steps, requests } = logWith(runs)
  const filters = { trace_replay: true, tag: 't' }
  const order = orderOf({ baseline_model: 'logged', sample_filters: filters, sample_count: 12, seed: 4 })
  expect(await steps.survey(order)).toEqual({
    eligible: 40,
    distinct: 6,
    tokens: [10, 11, 12, 20, 30, 31].map((place) => ({ prompt: 10 + place, completion: place })),
  })
  expect(requests).toEqual([{ filters: { tag: 't' }, maxSteps: 12, seed: 4 }])
})

it('draws the steps of each run in order, as one cluster', async () => {
  const drawn = await logWith(runs).steps.draw(orderOf())
  expect(drawn.map(({ logId, traceId, cluster, stepIndex }) => [logId, traceId, cluster, stepIndex])).toEqual([
    [logUuid(10), 'run-1', 'run-1', 0],
    [logUuid(11), 'run-1', 'run-1', 1],
    [logUuid(12), 'run-1', 'run-1', 2],
    [logUuid(20), 'run-2', 'run-2', 0],
    [logUuid(30), 'run-3', 'run-3', 0],
    [logUuid(31), 'run-3', 'run-3', 1],
  ])
  expect(drawn[3]).toMatchObject({ reference: { content: 'Answer 20.' }, recorded: { costNano: '20000' } })
})

it.each([
  ['the first', 10],
  ['one in the middle', 11],
  ['the last', 12],
])('leaves out the whole run when %s of its steps is deleted', async (_which, deleted) => {
  const drawn = await logWith(runs, [deleted]).steps.draw(orderOf())
  expect(drawn.map(({ traceId }) => traceId)).toEqual(['run-2', 'run-3', 'run-3'])
})

it('draws nothing when every run has a deleted step', async () => {
  expect(await logWith(runs, [10, 20, 31]).steps.draw(orderOf())).toEqual([])
})
