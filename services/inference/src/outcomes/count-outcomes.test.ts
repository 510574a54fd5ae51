import { latencyBucket } from '@ratchet/stats/latency-bucket'
import { createOutcomeCounts, type EndedRequest, type FailedRequest, outcomeLimits } from './count-outcomes.ts'

const at = new Date('2026-11-24T12:34:56Z')
const one: EndedRequest = {
  requestId: 'r1',
  workspaceId: 'w1',
  keyId: 'k1',
  outcome: 'answered',
  at,
  model: 'm',
  provider: 'p',
  tag: 't',
  alias: null,
  latencyMs: 1,
}
const failed: FailedRequest = {
  ...one,
  outcome: 'ours',
  traceId: null,
  upstreamStatus: null,
  tries: 0,
  errorCode: null,
  message: '',
}

it('counts equal requests of an hour together, and others apart', () => {
  const counts = createOutcomeCounts(() => undefined)
  counts.ended(one)
  counts.ended({ ...one, requestId: 'r2', at: new Date('2026-11-24T12:59:59Z') })
  counts.ended({ ...one, at: new Date('2026-11-24T13:00:00Z') })
  counts.ended({ ...one, tag: null })
  counts.failed(failed)
  const { counts: taken, rows } = counts.take()
  expect(taken.map(({ count }) => count)).toEqual([2, 1, 1, 1])
  expect(taken[0]).toMatchObject({ hour: new Date('2026-11-24T12:00:00Z'), firstAt: at, lastRequestId: 'r2' })
  expect(rows).toEqual([failed])
  expect(counts.take()).toEqual({ counts: [], latencies: [], rows: [] })
})

it('counts how long answers of models took, by hour and bucket, and nothing else', () => {
  const counts = createOutcomeCounts(() => undefined)
  for (const latencyMs of [600, 601, 1_000]) counts.ended({ ...one, tag: `tag ${latencyMs}`, latencyMs })
  counts.ended({ ...one, at: new Date('2026-11-24T13:00:00Z'), latencyMs: 600 })
  counts.ended({ ...one, outcome: 'cached', latencyMs: 1 })
  counts.failed({ ...failed, latencyMs: 9_000 })
  const hours = counts.take().latencies.map(({ hour, bucket, count }) => [hour.getUTCHours(), bucket, count])
  expect(hours).toEqual([
    [12, latencyBucket(600), 2],
    [12, latencyBucket(1_000), 1],
    [13, latencyBucket(600), 1],
  ])
})

it('has a limit for tags that differ in every request, and still counts each request', () => {
  const counts = createOutcomeCounts(() => undefined)
  const requests = outcomeLimits.kindsOfWorkspaceInHour * 2
  for (let n = 0; n < requests; n += 1) counts.ended({ ...one, tag: `tag ${n}` })
  const { counts: taken } = counts.take()
  expect(taken.length).toBe(outcomeLimits.kindsOfWorkspaceInHour + 1)
  expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(requests)
})

it('stores a limited number of kinds and rows of a workspace in an hour, and those of others', () => {
  let dropped = 0
  const counts = createOutcomeCounts(() => {
    dropped += 1
  })
  let stored = 0
  let rows = 0
  let counted = 0
  const take = () => {
    const batch = counts.take()
    stored += batch.counts.filter(({ tag }) => tag !== null).length
    rows += batch.rows.length
    counted += batch.counts.reduce((sum, { count }) => sum + count, 0)
  }
  for (let second = 0; second < 100; second += 1) {
    for (let n = 0; n < 100; n += 1) counts.failed({ ...failed, tag: `${second} ${n}` })
    take()
  }
  expect([stored, rows, dropped, counted]).toEqual([2_000, 2_000, 8_000, 10_000])
  // Known kinds, other workspaces and the next hour.
  counts.failed({ ...failed, tag: '0 0' })
  counts.failed({ ...failed, workspaceId: 'w2', tag: 'x' })
  counts.failed({ ...failed, tag: 'y', at: new Date('2026-11-24T13:00:00Z') })
  take()
  expect([stored, rows, counted]).toEqual([2_003, 2_002, 10_003])
})

it('keeps a limited number of rows, counts those that it drops, and lets no workspace take them all', () => {
  let dropped = 0
  const counts = createOutcomeCounts(() => {
    dropped += 1
  })
  for (let n = 0; n < 1_000; n += 1) counts.failed(failed)
  counts.failed({ ...failed, workspaceId: 'w2' })
  const { counts: taken, rows } = counts.take()
  expect(rows.length).toBe(outcomeLimits.rowsOfWorkspace + 1)
  expect(dropped).toBe(1_000 - outcomeLimits.rowsOfWorkspace)
  expect(taken.map(({ count }) => count)).toEqual([1_000, 1])
})
