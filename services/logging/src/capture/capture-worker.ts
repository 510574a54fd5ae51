import { setTimeout as sleep } from 'node:timers/promises'
import { backoff } from '@ratchet/service-kit/timing/backoff'
import { type CaptureStream, maxEntriesPerRead } from './capture-stream.ts'
import type { Ingest } from './ingest.ts'
import { createStoreIndividually } from './store-individually.ts'
import type { StreamEntry, StreamItem } from './stream-entry.ts'

export interface CaptureWorkerOptions {
  readonly stream: CaptureStream
  readonly ingest: Ingest['ingest']
  readonly now: () => Date
  readonly onEvent: (event: WorkerEvent) => void
  /** Called after every answer of the stream and every stored batch. */
  readonly onProgress: () => void
  /** Milliseconds between two checks for entries that other consumers did not finish. */
  readonly claimEveryMs: number
  /** Milliseconds to wait after a first failure; doubled after each further one. */
  readonly backOffMs?: number
  /** Milliseconds to wait for further exchanges after a read that found few. */
  readonly gatherMs?: number
}

export type WorkerEvent =
  | { readonly kind: 'failed'; readonly cause: unknown }
  | { readonly kind: 'dead_lettered'; readonly count: number }

export interface CaptureWorker {
  /** Resolves when the entries that were read are stored, or are left to other workers because storing fails now. */
  stop(): Promise<void>
}

const maxBackOffMs = 5_000
/** Exchanges of one transaction. */
const maxGroup = 200
/** Failures of a batch as a whole, after which its exchanges are stored one by one. */
const maxBatchFailures = 3

/** Moves exchanges from the stream to the log until it is stopped. An entry is acknowledged only after it is stored. */
export function startCaptureWorker(options: CaptureWorkerOptions): CaptureWorker {
  const { stream, ingest, now, onEvent, onProgress, claimEveryMs, backOffMs = 200, gatherMs = 200 } = options
  const stopping = new AbortController()
  let lastClaimMs = Number.NEGATIVE_INFINITY

  const next = async () => {
    if (now().getTime() - lastClaimMs < claimEveryMs) return stream.read()
    const claimed = await stream.claim()
    if (claimed.length === 0) lastClaimMs = now().getTime()
    return claimed
  }
  /** Exchanges of unfinished entries that are stored or dead-lettered, by id. */
  const handled = new Set<string>()
  let successes = 0
  const handle = (items: readonly StreamItem[]) => {
    for (const { id } of items) handled.add(id)
    onProgress()
  }
  const store = async (items: readonly StreamItem[]) => {
    const refused = new Set(await ingest(items.flatMap(({ captured }) => captured ?? [])))
    await deadLetter(items.filter(({ captured }) => captured === null || refused.has(captured)))
    handle(items)
    successes += 1
  }
  const deadLetter = async (items: readonly StreamItem[]) => {
    if (items.length === 0) return
    onEvent({ kind: 'dead_lettered', count: items.length })
    await stream.deadLetter(items)
    handle(items)
  }
  const storeIndividually = createStoreIndividually({ store, deadLetter, successes: () => successes })
  /** Finishes every entry whose exchanges are all stored or dead-lettered. The others are claimed again later. */
  const move = async (entries: readonly StreamEntry[], failures: number) => {
    const items = entries.flatMap((entry) => entry.items.filter(({ id }) => !handled.has(id)))
    if (failures >= maxBatchFailures) await storeIndividually(items, failures)
    else for (const group of groupsOf(items)) await store(group)
    const done = entries.filter((entry) => entry.items.every(({ id }) => handled.has(id)))
    if (done.length > 0) await stream.finish(done)
    for (const { id } of done.flatMap((entry) => entry.items)) handled.delete(id)
  }
  /** Retries until the work succeeds, or fails after a stop. Entries that were read come before new ones. */
  const persist = async (work: (failures: number) => Promise<unknown>) => {
    for (let failures = 0; ; failures++) {
      try {
        await work(failures)
        onProgress()
        return
      } catch (cause) {
        onEvent({ kind: 'failed', cause })
        if (stopping.signal.aborted) return
        await pause(backoff(failures, { firstMs: backOffMs, maxMs: maxBackOffMs }), stopping.signal)
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
      await persist((failures) => move(entries, failures))
      // A batch costs this process and Postgres little more than one exchange, and a larger one is compressed better.
      if (areFew(entries)) await pause(gatherMs, stopping.signal)
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

/** A read of as many entries as there may be left others in the stream, however few exchanges each has. */
function areFew(entries: readonly StreamEntry[]): boolean {
  const items = entries.reduce((sum, entry) => sum + entry.items.length, 0)
  return entries.length < maxEntriesPerRead && items < maxGroup
}

function groupsOf(items: readonly StreamItem[]): readonly (readonly StreamItem[])[] {
  return Array.from({ length: Math.ceil(items.length / maxGroup) }, (_, index) =>
    items.slice(index * maxGroup, (index + 1) * maxGroup),
  )
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
