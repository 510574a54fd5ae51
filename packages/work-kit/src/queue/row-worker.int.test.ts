import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { z } from 'zod'
import type { WorkChanges } from '../polling/work-changes.ts'
import { createRowNotifier } from './queue.ts'
import { type RowWork, reconcileRows, startRowWorker } from './row-worker.ts'

const rowQueue = { name: 'test-rows', payload: z.object({ rowId: z.string() }) } as const

let redis: FreshRedis
let stops: Stop[]
let errors: unknown[]
let idleSearches: number

beforeEach(async () => {
  redis = await freshRedis()
  stops = []
  errors = []
  idleSearches = 0
})
afterEach(async () => {
  await runStops(stops, { error: () => undefined })
  await redis.drop()
})

const onStop = (stop: Stop) => stops.push(stop)
const onError = (error: unknown) => errors.push(error)

/** Nothing announces a change. */
const changes: WorkChanges = { isListening: () => false, onChange: () => undefined }

/** A worker of these rows, which are due until they were processed. */
function startWorker(rows: Set<string>) {
  const connection = { redisUrl: redis.url, onStop, onError }
  const work: RowWork<typeof rowQueue> = {
    queue: rowQueue,
    process: async ({ rowId }) => void rows.delete(rowId),
    concurrency: 2,
    due: async (limit) => [...rows].slice(0, limit),
    notify: createRowNotifier(rowQueue, connection, (rowId) => ({ rowId })),
  }
  const onProgress = () => {
    idleSearches += 1
  }
  const reconcile = startRowWorker(work, { ...connection, onProgress: () => undefined })
  return { reconcile, start: () => reconcileRows([reconcile], { changes, onStop, onProgress, onError }) }
}

it('processes rows that no message announced, and reports progress when none is left', async () => {
  const rows = new Set(['a', 'b', 'c'])
  const { start } = startWorker(rows)
  start()
  await eventually(() => expect([rows.size, idleSearches > 0]).toEqual([0, true]), { withinMs: 15_000 })
})

it('counts what one search finds', async () => {
  expect(await startWorker(new Set(['a', 'b'])).reconcile()).toBe(2)
  expect(await startWorker(new Set()).reconcile()).toBe(0)
})
