import { createTrafficCounts } from './traffic.ts'

const now = () => new Date('2026-12-01T12:00:30Z')
const endpoint = { id: 'e', workspaceId: 'w' }
const done = { isAnswered: true, tokens: 5, ttftMs: 90 }

it('counts a request once, wherever it ends', () => {
  const counts = createTrafficCounts(now)
  const visit = counts.enter(endpoint)
  expect(counts.of('e')).toMatchObject({ running: 0, waiting: 1 })
  visit.started(0)
  visit.started(5)
  expect(counts.of('e')).toMatchObject({ running: 1, waiting: 0 })
  visit.ended(done)
  visit.ended({ ...done, isAnswered: false })
  expect(counts.of('e')).toMatchObject({ running: 0, waiting: 0 })
  counts.enter(endpoint).ended({ isAnswered: false, tokens: 0, ttftMs: null })
  expect(counts.take()).toMatchObject({
    traffic: [{ endpointId: 'e', running: 0, waiting: 0 }],
    minutes: [{ minute: '2026-12-01T12:00:00.000Z', requests: 2, errors: 1, tokens: 5, ttft: { '13': 1 }, waits: {} }],
  })
})

it('reports an endpoint as long as it has requests, and once afterwards', () => {
  const counts = createTrafficCounts(now)
  const visit = counts.enter(endpoint)
  expect([counts.take(), counts.take()].map(({ traffic }) => traffic.length)).toEqual([1, 1])
  visit.ended(done)
  expect([counts.take(), counts.take()].map(({ traffic }) => traffic.length)).toEqual([1, 0])
})

it('takes back what could not be stored', () => {
  const counts = createTrafficCounts(now)
  counts.enter(endpoint).ended(done)
  counts.giveBack(counts.take())
  counts.enter(endpoint).ended(done)
  expect(counts.take()).toMatchObject({
    traffic: [{ endpointId: 'e' }],
    minutes: [{ requests: 2, tokens: 10, ttft: { '13': 2 } }],
  })
})
