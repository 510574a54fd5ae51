import { kibibyte } from '@ratchet/contracts/byte-sizes'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import { createRedactionLane, type Item, type OwnBatch, type RedactionLane, type Result } from './redaction-lane.ts'
import { type Job, toBuffer } from './redaction-task.ts'
import { type IdentifiedCapture, type Redacted, type Redactor, sizeOfCapture } from './redactor.ts'

export interface RedactionThreadOptions {
  readonly onStop: OnStop
  /** Called when the thread died or hung; a new one is started without a call. */
  readonly onCrash: (cause: unknown) => void
  /** Whether the thread for small items stays while it has nothing to do (default true). */
  readonly isKept?: boolean
  /** Milliseconds that one item may take: a hundred times what the largest item needs. */
  readonly itemLimitMs?: number
  /** The module that the thread runs. */
  readonly task?: URL
  /** A clock, milliseconds. */
  readonly nowMs?: () => number
}

/**
 * Limits of one batch, so that other workspaces do not wait long for the thread. An item above them is a batch of its own. A
 * batch takes about ten times its size in memory.
 */
const batchLimits = { maxBytes: 256 * kibibyte, maxItems: 500 }
/** Milliseconds that a batch waits for its turn at most. */
const maxWaitMs = 120_000
/** The owner of captures, which may be of several workspaces. */
const ownerOfCaptures = 'captures'

/**
 * Redacts batches on threads of its own, so that no text blocks the event loop: small items on one, of which workspaces take
 * turns by the time that theirs need, and items above the limit of a batch on a second one, so that no small item waits for one
 * of these.
 */
export function createRedactionThread(options: RedactionThreadOptions): Redactor {
  const { onStop, onCrash, itemLimitMs = 5_000, task = new URL('./redaction-task.ts', import.meta.url) } = options
  const { isKept = true, nowMs = () => performance.now() } = options
  const laneOf = (lane: { readonly isKept: boolean; readonly heapMb: number }) => {
    const turns = createFairPlaces({ places: 1, maxOfOwner: 1, maxWaitMs, nowMs })
    return createRedactionLane({ task, turns, onStop, onCrash, itemLimitMs, ...lane })
  }
  const lanes = { small: laneOf({ isKept, heapMb: 64 }), large: laneOf({ isKept: false, heapMb: 512 }) }
  return {
    async captures(captures) {
      const batch = { owner: ownerOfCaptures, job: 'captures', items: captures } as const
      return (await runInPieces(lanes, batch, { bytesOf: sizeOfCapture, prepare: inOneMemory })).map(withBuffer)
    },
    async exchanges(owner, items) {
      const bytesOf = ({ content }: Item<'exchanges'>) => content.length
      return (await runInPieces(lanes, { owner, job: 'exchanges', items }, { bytesOf })).map(withBuffer)
    },
    spans: (owner, items) =>
      runInPieces(lanes, { owner, job: 'spans', items }, { bytesOf: ({ attributes }) => attributes.length }),
    examples: (owner, items) =>
      runInPieces(lanes, { owner, job: 'examples', items }, { bytesOf: (text) => text.length }),
  }
}

interface Pieces<J extends Job> {
  readonly bytesOf: (item: Item<J>) => number
  /** What is passed to the thread in place of the items. */
  readonly prepare?: (items: readonly Item<J>[]) => readonly Item<J>[]
}

async function runInPieces<J extends Job>(
  { small, large }: { readonly small: RedactionLane; readonly large: RedactionLane },
  { items, ...batch }: OwnBatch<J>,
  { bytesOf, prepare = (some) => some }: Pieces<J>,
): Promise<Result<J>[]> {
  const results: Result<J>[] = []
  for (const some of batchesBySize(items, { ...batchLimits, bytesOf })) {
    const isLarge = some.some((item) => bytesOf(item) > batchLimits.maxBytes)
    results.push(...(await (isLarge ? large : small).run({ ...batch, items: prepare(some) })))
  }
  return results
}

/**
 * Copies all bytes into one ArrayBuffer: passing a Buffer to a thread copies the whole ArrayBuffer that it is part of.
 */
function inOneMemory(captures: readonly IdentifiedCapture[]): readonly IdentifiedCapture[] {
  const memory = new ArrayBuffer(captures.reduce((sum, capture) => sum + sizeOfCapture(capture), 0))
  let used = 0
  const copied = (bytes: Buffer) => {
    const copy = Buffer.from(memory, used, bytes.length)
    copy.set(bytes)
    used += bytes.length
    return copy
  }
  return captures.map(({ id, captured: { meta, request, reply } }) => ({
    id,
    captured: { meta, request: copied(request), reply: copied(reply) },
  }))
}

function withBuffer(result: Redacted<UnsegmentedExchange>): Redacted<UnsegmentedExchange> {
  if (result.kind === 'failed') return result
  return { ...result, value: { ...result.value, promptHash: toBuffer(result.value.promptHash) } }
}
