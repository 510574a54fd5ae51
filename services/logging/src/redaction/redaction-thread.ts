import type { OnStop } from '@ratchet/service-kit/run-process'
import { Piscina } from 'piscina'
import { batchesBySize } from '../domain/batches-by-size.ts'
import type { UnsegmentedExchange } from '../domain/raw-exchange.ts'
import type { CapturedRow, Redacted, Redactor } from '../domain/redactor.ts'
import { type Job, type Jobs, type RedactionTask, toBuffer } from './redaction-task.ts'

export interface RedactionThreadOptions {
  readonly onStop: OnStop
  /** Heard when the thread died or hung over something; it starts again by itself. */
  readonly onCrash: (cause: unknown) => void
  /** Milliseconds that one item may take: a hundred times what any of them needs. */
  readonly itemLimitMs?: number
  /** What the thread runs. */
  readonly task?: URL
}

type Item<J extends Job> = Parameters<Jobs[J]>[0]
type Result<J extends Job> = Redacted<ReturnType<Jobs[J]>>

/** Instrumentation and keys of this process are of no use to the thread; a batch takes some ten times its size. */
const limits = { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 512 } }

/**
 * Redacts on a thread of its own, whole batches at a time, so that no text holds up the event loop. When the thread
 * dies or hangs, the batch is given again without what it died over; that is tried once more by itself, and has failed
 * when the thread dies over it again.
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
  // A thread may die while it has nothing to do; the next one is started already.
  pool.on('error', onCrash)
  let isStopped = false
  onStop(() => {
    isStopped = true
    return pool.destroy()
  })

  const attempt = async <J extends Job>(job: J, items: readonly Item<J>[]): Promise<Result<J>[] | Interrupted> => {
    if (isStopped) throw new Error('the redacting thread has stopped')
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
    return result ?? { kind: 'failed', reason: 'redaction does not come to an end' }
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
    for (const some of batchesBySize(items, { ...atOnce, bytesOf })) results.push(...(await run(job, some)))
    return results
  }
  return {
    async captures(rows) {
      const results: Result<'captures'>[] = []
      for (const some of batchesBySize(rows, { ...atOnce, bytesOf: sizeOfCapture })) {
        results.push(...(await run('captures', inOneMemory(some))))
      }
      return results.map(withBuffer)
    },
    exchanges: async (all) => (await runInPieces('exchanges', all, ({ content }) => content.length)).map(withBuffer),
    spans: (all) => runInPieces('spans', all, ({ attributes }) => attributes.length),
    examples: (all) => runInPieces('examples', all, (text) => text.length),
  }
}

/** The thread ended while it was at this item. */
interface Interrupted {
  readonly at: number
}

const notBegun = -1
/** What the thread is given at a time: little enough that others need not wait long for their turn. */
const atOnce = { maxBytes: 8 * 1024 * 1024, maxItems: 500 }

/** Aborts when the thread stays at one item for longer than `limitMs`, and for no longer than twice that. */
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

/** Bytes are handed over with all the memory that they are a part of, and every memory costs: here it is one. */
function inOneMemory(rows: readonly CapturedRow[]): readonly CapturedRow[] {
  const memory = new ArrayBuffer(rows.reduce((sum, row) => sum + sizeOfCapture(row), 0))
  let used = 0
  const copied = (bytes: Buffer) => {
    const copy = Buffer.from(memory, used, bytes.length)
    copy.set(bytes)
    used += bytes.length
    return copy
  }
  return rows.map(({ id, captured: { meta, request, reply } }) => ({
    id,
    captured: { meta, request: copied(request), reply: copied(reply) },
  }))
}

function sizeOfCapture({ captured }: CapturedRow): number {
  return captured.request.length + captured.reply.length
}

function withBuffer(result: Redacted<UnsegmentedExchange>): Redacted<UnsegmentedExchange> {
  if (result.kind === 'failed') return result
  return { ...result, value: { ...result.value, promptHash: toBuffer(result.value.promptHash) } }
}
