import { setTimeout as sleep } from 'node:timers/promises'
import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { type CaptureStream, readEntry, type StreamEntry } from './capture-stream.ts'
import type { Ingest } from './ingest.ts'
import { createMoveApart } from './move-apart.ts'

export interface CaptureWorkerOptions {
  readonly stream: CaptureStream
  readonly ingest: Ingest['ingest']
  readonly now: () => Date
  readonly onEvent: (event: WorkerEvent) => void
  /** Hears of every answer of the stream, and of everything stored. */
  readonly onProgress: () => void
  /** Milliseconds between two looks for what others left behind. */
  readonly claimEveryMs: number
  /** Milliseconds after a first failure; doubled after each that follows. */
  readonly backOffMs?: number
}

export type WorkerEvent =
  | { readonly kind: 'failed'; readonly cause: unknown }
  | { readonly kind: 'poison'; readonly count: number }

export interface CaptureWorker {
  /** Resolves when what was taken is stored, or left to others because it cannot be now. */
  stop(): Promise<void>
}

const longestBackOffMs = 5_000
/** Failures of a batch as a whole, after which its entries are stored one by one. */
const apartAfter = 3

/** Moves exchanges from the stream to the log until it is stopped. Nothing is acknowledged that is not stored. */
export function startCaptureWorker(options: CaptureWorkerOptions): CaptureWorker {
  const { stream, ingest, now, onEvent, onProgress, claimEveryMs, backOffMs = 200 } = options
  const stopping = new AbortController()
  let lastClaimMs = Number.NEGATIVE_INFINITY

  const next = async () => {
    if (now().getTime() - lastClaimMs < claimEveryMs) return stream.read()
    const claimed = await stream.claim()
    if (claimed.length === 0) lastClaimMs = now().getTime()
    return claimed
  }
  const move = async (entries: readonly StreamEntry[]) => {
    const { readable, deadLetter } = readEntries(entries)
    const refused = new Set(await ingest([...readable.values()]))
    for (const [entry, captured] of readable) if (refused.has(captured)) deadLetter.push(entry)
    if (deadLetter.length > 0) onEvent({ kind: 'poison', count: deadLetter.length })
    await stream.putAside(deadLetter)
    await stream.finish(entries)
  }
  const giveUp = async (entries: readonly StreamEntry[]) => {
    onEvent({ kind: 'poison', count: entries.length })
    await stream.putAside(entries)
    await stream.finish(entries)
  }
  const moveApart = createMoveApart({ move, giveUp })
  /** Until it is done, or has failed while we are to stop: what was taken comes before anything new. */
  const persist = async (work: (failures: number) => Promise<unknown>) => {
    for (let failures = 0; ; failures++) {
      try {
        await work(failures)
        onProgress()
        return
      } catch (cause) {
        onEvent({ kind: 'failed', cause })
        if (stopping.signal.aborted) return
        await pause(Math.min(backOffMs * 2 ** failures, longestBackOffMs), stopping.signal)
      }
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      let entries: readonly StreamEntry[] = []
      await persist(async () => {
        entries = await next()
      })
      if (entries.length === 0) continue
      await persist((failures) => (failures < apartAfter ? move(entries) : moveApart(entries, failures)))
    }
    await stream.leave().catch(() => undefined)
  }
  const running = run()
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}

function readEntries(entries: readonly StreamEntry[]) {
  const readable = new Map<StreamEntry, CapturedExchange>()
  const deadLetter: StreamEntry[] = []
  for (const entry of entries) {
    try {
      readable.set(entry, readEntry(entry))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      deadLetter.push(entry)
    }
  }
  return { readable, deadLetter }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
