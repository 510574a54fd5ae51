import { eventually } from '@ratchet/testing/eventually'
import { type CaptureStream, maxEntriesPerRead } from './capture-stream.ts'
import { startCaptureWorker } from './capture-worker.ts'
import type { StreamEntry } from './stream-entry.ts'

/** A worker of a stream whose reads find these numbers of entries, each with one exchange, and then none. */
function startWorker(reads: readonly number[], gatherMs: number) {
  const finished: number[] = []
  const left = [...reads]
  const read = async () => Array.from({ length: left.shift() ?? 0 }, (_, index) => entry(`${left.length}-${index}`))
  const stream: CaptureStream = {
    read,
    claim: async () => [],
    finish: async (entries) => void finished.push(entries.length),
    deadLetter: async () => {},
    leave: async () => {},
  }
  const nothing = () => {}
  const ingest = async () => []
  const options = { ingest, now: () => new Date(0), onEvent: nothing, onProgress: nothing, claimEveryMs: 1, gatherMs }
  return { finished, left, worker: startCaptureWorker({ ...options, stream }) }
}

function entry(id: string): StreamEntry {
  return { id, stream: 'stream', items: [{ id, captured: null, summary: () => [] }] } as unknown as StreamEntry
}

const hourMs = 3_600_000

it('gathers exchanges only after a read that left none in the stream', async () => {
  const { finished, worker } = startWorker([maxEntriesPerRead, maxEntriesPerRead, 1, 1], hourMs)
  await eventually(() => expect(finished).toEqual([maxEntriesPerRead, maxEntriesPerRead, 1]))
  await worker.stop()
})

it('stops at once while it gathers', async () => {
  const { finished, left, worker } = startWorker([1, 1], hourMs)
  await eventually(() => expect(finished).toEqual([1]))
  await worker.stop()
  expect([finished, left]).toEqual([[1], [1]])
})
