import type { OnStop } from '@ratchet/service-kit/process/run-process'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { Piscina } from 'piscina'
import type { Job, Jobs, RedactionTask } from './redaction-task.ts'
import type { Redacted } from './redactor.ts'

export type Item<J extends Job> = Parameters<Jobs[J]>[0]
export type Result<J extends Job> = Redacted<ReturnType<Jobs[J]>>

export interface RedactionLaneOptions {
  /** The module that the thread runs. */
  readonly task: URL
  /** In which owners take turns. */
  readonly turns: FairPlaces
  readonly onStop: OnStop
  readonly onCrash: (cause: unknown) => void
  readonly itemLimitMs: number
  readonly heapMb: number
  /** Whether the thread stays while it has nothing to do. */
  readonly isKept: boolean
}

/** A batch of one owner. */
export interface OwnBatch<J extends Job> {
  readonly owner: string
  readonly job: J
  readonly items: readonly Item<J>[]
}

/** Redacts batches on one thread, one batch at a time. */
export interface RedactionLane {
  /** @throws Error when the outcome is unknown, and ServiceError when the batch waited too long for those of others */
  run<J extends Job>(batch: OwnBatch<J>): Promise<readonly Result<J>[]>
}

/** The thread gets neither the keys nor the instrumentation of this process. */
const environment = { env: {}, execArgv: [] }
const idleTimeoutMs = 60_000

/**
 * When the thread dies or hangs, the rest of the batch is redacted without the item at fault. That item is tried once more
 * alone, and fails when the thread dies or hangs again.
 */
export function createRedactionLane(options: RedactionLaneOptions): RedactionLane {
  const { task, turns, onStop, onCrash, itemLimitMs, heapMb, isKept } = options
  const pool = new Piscina<RedactionTask, Redacted<unknown>[]>({
    filename: task.href,
    name: 'redactBatch',
    minThreads: isKept ? 1 : 0,
    maxThreads: 1,
    idleTimeout: idleTimeoutMs,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    ...environment,
  })
  // A thread may also die while it is idle; piscina starts the next one.
  pool.on('error', onCrash)
  let isStopped = false
  onStop(() => {
    isStopped = true
    return pool.destroy()
  })

  const attempt = async <J extends Job>({ owner, job, items }: OwnBatch<J>): Promise<Result<J>[] | Interrupted> => {
    const at = new Int32Array(new SharedArrayBuffer(4)).fill(notBegun)
    const redact = async () => {
      if (isStopped) throw new Error('the redaction thread has stopped')
      const watch = watchProgress(at, itemLimitMs)
      try {
        return (await pool.run({ job, items, at }, { signal: watch.signal })) as Result<J>[]
      } finally {
        watch.stop()
      }
    }
    try {
      return await turns.run(owner, redact)
    } catch (cause) {
      if (isStopped || Atomics.load(at, 0) === notBegun) throw cause
      onCrash(cause)
      return { at: Atomics.load(at, 0) }
    }
  }
  const runAlone = async <J extends Job>(batch: OwnBatch<J>): Promise<Result<J>> => {
    const outcome = await attempt(batch)
    const [result] = Array.isArray(outcome) ? outcome : []
    return result ?? { kind: 'failed', reason: 'redaction did not finish' }
  }
  const run = async <J extends Job>(batch: OwnBatch<J>): Promise<readonly Result<J>[]> => {
    const { items } = batch
    if (items.length === 0) return []
    const outcome = await attempt(batch)
    if (Array.isArray(outcome)) return outcome
    const [before, suspect, after] = [items.slice(0, outcome.at), items[outcome.at], items.slice(outcome.at + 1)]
    const alone = suspect === undefined ? [] : [await runAlone({ ...batch, items: [suspect] })]
    return [...(await run({ ...batch, items: before })), ...alone, ...(await run({ ...batch, items: after }))]
  }
  return { run }
}

/** The thread ended at the item with this index. */
interface Interrupted {
  readonly at: number
}

const notBegun = -1

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
