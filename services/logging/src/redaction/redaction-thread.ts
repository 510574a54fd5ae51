import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { Piscina } from 'piscina'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import { type Job, type Jobs, type RedactionTask, toBuffer } from './redaction-task.ts'
import { type IdentifiedCapture, type Redacted, type Redactor, sizeOfCapture } from './redactor.ts'

export interface RedactionThreadOptions {
  readonly onStop: OnStop
  /** Called when the thread died or hung; a new one is started without a call. */
  readonly onCrash: (cause: unknown) => void
  /** Milliseconds that one item may take: a hundred times what the largest item needs. */
  readonly itemLimitMs?: number
  /** The module that the thread runs. */
  readonly task?: URL
}

type Item<J extends Job> = Parameters<Jobs[J]>[0]
type Result<J extends Job> = Redacted<ReturnType<Jobs[J]>>

/**
 * The thread gets neither the keys nor the instrumentation of this process. A batch takes about ten times its size in
 * memory.
 */
const limits = { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 512 } }

/**
 * Redacts batches on a thread of its own, so that no text blocks the event loop. When the thread dies or hangs, the rest
 * of the batch is redacted without the item at fault. That item is tried once more alone, and fails when the thread dies
 * or hangs again.
 */
export function createRedactionThread(options: RedactionThreadOptions): Redactor {
  const { onStop, onCrash, itemLimitMs = 5_000, task = new URL('./redaction-task.ts', import.meta.url) } = options
  const pool = new Piscina<RedactionTask, Redacted<unknown>[]>({
    filename: task.href,
    name: 'redactBatch',
    minThreads: 1,
    maxThreads: 1,
    ...limits,
  })
  // A thread may also die while it is idle; piscina starts the next one.
  pool.on('error', onCrash)
  let isStopped = false
  onStop(() => {
    isStopped = true
    return pool.destroy()
  })

  const attempt = async <J extends Job>(job: J, items: readonly Item<J>[]): Promise<Result<J>[] | Interrupted> => {
    if (isStopped) throw new Error('the redaction thread has stopped')
    const at = new Int32Array(new SharedArrayBuffer(4)).fill(notBegun)
    const watch = watchProgress(at, itemLimitMs)
    try {
      return (await pool.run({ job, items, at }, { signal: watch.signal })) as Result<J>[]
    } catch (cause) {
      if (isStopped || Atomics.load(at, 0) === notBegun) throw cause
      onCrash(cause)
      return { at: Atomics.load(at, 0) }
    } finally {
      watch.stop()
    }
  }
  const runAlone = async <J extends Job>(job: J, item: Item<J>): Promise<Result<J>> => {
    const outcome = await attempt(job, [item])
    const [result] = Array.isArray(outcome) ? outcome : []
    return result ?? { kind: 'failed', reason: 'redaction did not finish' }
  }
  const run = async <J extends Job>(job: J, items: readonly Item<J>[]): Promise<Result<J>[]> => {
    if (items.length === 0) return []
    const outcome = await attempt(job, items)
    if (Array.isArray(outcome)) return outcome
    const [before, suspect, after] = [items.slice(0, outcome.at), items[outcome.at], items.slice(outcome.at + 1)]
    const alone = suspect === undefined ? [] : [await runAlone(job, suspect)]
    return [...(await run(job, before)), ...alone, ...(await run(job, after))]
  }
  const runInPieces = async <J extends Job>(job: J, items: readonly Item<J>[], bytesOf: (item: Item<J>) => number) => {
    const results: Result<J>[] = []
    for (const some of batchesBySize(items, { ...batchLimits, bytesOf })) results.push(...(await run(job, some)))
    return results
  }
  return {
    async captures(captures) {
      const results: Result<'captures'>[] = []
      for (const some of batchesBySize(captures, { ...batchLimits, bytesOf: sizeOfCapture })) {
        results.push(...(await run('captures', inOneMemory(some))))
      }
      return results.map(withBuffer)
    },
    exchanges: async (all) => (await runInPieces('exchanges', all, ({ content }) => content.length)).map(withBuffer),
    spans: (all) => runInPieces('spans', all, ({ attributes }) => attributes.length),
    examples: (all) => runInPieces('examples', all, (text) => text.length),
  }
}

/** The thread ended at the item with this index. */
interface Interrupted {
  readonly at: number
}

const notBegun = -1
/** Limits of one batch, so that other callers do not wait long for the thread, and for its memory. */
const batchLimits = { maxBytes: 2 * mebibyte, maxItems: 500 }

/** Aborts after the thread has stayed at one item for `limitMs` to twice `limitMs`. */
function watchProgress(at: Int32Array, limitMs: number): { readonly signal: AbortSignal; stop(): void } {
  const hung = new AbortController()
  let seen = notBegun
  const timer = setInterval(() => {
    const now = Atomics.load(at, 0)
    if (now === seen && now !== notBegun) hung.abort(new Error(`redaction takes longer than ${limitMs} ms`))
    seen = now
  }, limitMs)
  return { signal: hung.signal, stop: () => clearInterval(timer) }
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
