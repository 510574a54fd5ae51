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
  const leased = new Set<string>()
  const due = (limit: number) => [...rows].filter((id) => !leased.has(id)).slice(0, limit)
  const work: RowWork<typeof rowQueue, { readonly id: string }> = {
    queue: rowQueue,
    announced: ({ rowId }) => rowId,
    async take({ limit }) {
      const ids = due(limit)
      for (const id of ids) leased.add(id)
      return ids.map((id) => ({ id }))
    },
    process: async ({ id }) => void rows.delete(id),
    workspaceOf: () => 'a workspace',
    concurrency: 2,
    due: async (limit) => due(limit),
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
  await eventually(() => expect([rows.size, idleSearches > 0]).toEqual([0, true]), { withinMs: 45_000 })
})

it('searches at once when a message arrives', async () => {
  const rows = new Set(['a', 'b', 'c'])
  startWorker(rows)
  const notify = createRowNotifier(rowQueue, { redisUrl: redis.url, onStop, onError }, (rowId) => ({ rowId }))
  await eventually(async () => {
    await notify(['a'])
    return rows.size === 0
  })
})

it('counts what one search finds', async () => {
  expect(await startWorker(new Set(['a', 'b'])).reconcile()).toBeGreaterThan(0)
  expect(await startWorker(new Set()).reconcile()).toBe(0)
})
