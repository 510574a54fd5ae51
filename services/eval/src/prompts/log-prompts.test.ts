import { question, reply } from '../runs/eval.fixture.ts'
import { logEntry, logUuid, orderOf } from './log-entry.fixture.ts'
import { createLogPrompts } from './log-prompts.ts'

type Log = Parameters<typeof createLogPrompts>[0]

/** A log with these entries, of which some are deleted when they are read. */
function logWith(places: readonly number[], deleted: readonly number[] = []) {
  const requests: Parameters<Log['prompts']>[1][] = []
  const entries = new Map(places.map((place) => [logUuid(place), logEntry(place)]))
  const log: Log = {
    async prompts(_identity, request) {
      requests.push(request)
      return { total: 70, examined: 60, distinct: 50, rows: [...entries.values()].slice(0, request.count) }
    },
    entry: async (_identity, id) => (deleted.some((place) => logUuid(place) === id) ? null : (entries.get(id) ?? null)),
  }
  return { prompts: createLogPrompts(log), requests, entries }
}

it('surveys the log without reading texts', async () => {
  const { prompts, requests } = logWith([1, 2, 3])
  const filters = { tag: 't', segment: 's', model: 'm' }
  expect(await prompts.survey(orderOf({ seed: 9, sample_count: 20, sample_filters: filters }))).toEqual({
    eligible: 70,
    distinct: 50,
    tokens: [1, 2, 3].map((place) => ({ prompt: 10 + place, completion: place })),
  })
  expect(requests).toEqual([{ filters, count: 20, seed: 9 }])
})

it('filters only by the requested fields', async () => {
  const { prompts, requests } = logWith([])
  await prompts.draw(orderOf({ sample_filters: { tag: 't', trace_replay: false } }))
  expect(requests[0]?.filters).toEqual({ tag: 't' })
})

it('draws prompts with their stored answers, in the order drawn', async () => {
  const { prompts } = logWith([3, 1, 2])
  const drawn = await prompts.draw(orderOf())
  expect(drawn.map(({ logId }) => logId)).toEqual([3, 1, 2].map(logUuid))
  expect(drawn[0]).toEqual({
    cluster: logEntry(3).id,
    logId: logUuid(3),
    traceId: null,
    segment: 'none',
    stepIndex: null,
    expiresAt: new Date('2026-12-01T00:00:00.000Z'),
    prompt: { messages: [question('Question 3?')], tools: null, responseFormat: null },
    reference: reply('Answer 3.'),
    recorded: { costNano: '20000', latencyMs: 120.5 },
  })
  expect(new Set(drawn.map(({ cluster }) => cluster)).size).toBe(3)
})

it('clusters the steps of one run, and accepts an unknown cost', async () => {
  const { prompts, entries } = logWith([1, 2, 3])
  for (const place of [1, 3]) {
    entries.set(logUuid(place), logEntry(place, { trace_id: 'run-1', step_index: place, cost_usd: null }))
  }
  const [one, other, third] = await prompts.draw(orderOf())
  expect(one?.cluster).toBe(third?.cluster)
  expect(other?.cluster).not.toBe(one?.cluster)
  expect(third).toMatchObject({ traceId: 'run-1', stepIndex: 3, recorded: { costNano: null, latencyMs: 120.5 } })
})

it('leaves out entries deleted in the meantime', async () => {
  const places = Array.from({ length: 30 }, (_, place) => place)
  const { prompts } = logWith(places, [0, 7, 8, 29])
  const drawn = await prompts.draw(orderOf({ sample_count: 30 }))
  const left = places.filter((place) => ![0, 7, 8, 29].includes(place))
  expect(drawn.map(({ logId }) => logId)).toEqual(left.map(logUuid))
})
