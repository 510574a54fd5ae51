import type { UnsegmentedExchange } from '../../exchanges/raw-exchange.ts'
import { mergeDuplicates, type WrittenTraces } from './merge-duplicates.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const traceId = 'a'.repeat(32)
const createdAt = new Date('2026-11-21T12:00:00Z')

function exchange(over: Partial<UnsegmentedExchange>): UnsegmentedExchange {
  return { workspaceId, traceId, createdAt, latencyMs: 500, ...over } as UnsegmentedExchange
}

function setUp(merge?: () => Promise<void>) {
  const written: WrittenTraces[] = []
  const failures: unknown[] = []
  const log = mergeDuplicates({
    log: { write: async (exchanges) => exchanges.length },
    async merge(traces) {
      written.push(traces)
      await merge?.()
    },
    onFailure: (cause) => failures.push(cause),
  })
  return { log, written, failures }
}

it('merges duplicates in the traces that were written to, once per workspace', async () => {
  const { log, written } = setUp()
  const later = new Date(createdAt.getTime() + 1_000)
  const other = '00000000-0000-7000-8000-0000000000bb'
  await log.write([
    exchange({}),
    exchange({ createdAt: later }),
    exchange({ traceId: 'b'.repeat(32) }),
    exchange({ workspaceId: other }),
  ])
  expect(written).toEqual([
    { workspaceId, traceIds: [traceId, 'b'.repeat(32)], from: createdAt, to: new Date(later.getTime() + 500) },
    { workspaceId: other, traceIds: [traceId], from: createdAt, to: new Date(createdAt.getTime() + 500) },
  ])
})

it('merges nothing when no trace can have spans', async () => {
  const { log, written } = setUp()
  expect(await log.write([exchange({ traceId: null }), exchange({ traceId: 'run-7' })])).toBe(2)
  expect(written).toEqual([])
})

it('returns the number of stored exchanges also when merging duplicates fails', async () => {
  const failure = new Error('the database is unavailable')
  const { log, failures } = setUp(() => Promise.reject(failure))
  expect(await log.write([exchange({})])).toBe(1)
  expect(failures).toEqual([failure])
})
