import { Worker } from 'node:worker_threads'
import type { EncodingName } from './model-encoding.ts'

export interface CountBatch {
  readonly texts: readonly string[]
  readonly encoding: EncodingName
}

/** A thread that counts tokens. It starts with the first batch, and again with the next one after it died. */
export interface CountThread {
  /** Tokens of a batch; one batch at a time. Rejects when the thread dies or takes too long, which ends it. */
  count(batch: CountBatch): Promise<number>
  /** Ends the thread. The next batch would start it again. */
  stop(): Promise<void>
}

/** The vocabularies take about 130 MB; a batch needs very little. */
const resourceLimits = { maxOldGenerationSizeMb: 384 }

/** @param batchLimitMs milliseconds that one batch may take, including the loading of its vocabulary */
export function createCountThread({ batchLimitMs }: { readonly batchLimitMs: number }): CountThread {
  let worker: Worker | null = null
  return {
    async count(batch) {
      worker ??= startWorker()
      try {
        return await countOn(worker, batch, batchLimitMs)
      } catch (error) {
        worker = null
        throw error
      }
    },
    async stop() {
      await worker?.terminate()
      worker = null
    },
  }
}

/**
 * The worker gets none of this process's flags and environment variables, because it needs neither instrumentation nor
 * keys.
 */
function startWorker(): Worker {
  const worker = new Worker(new URL('./count-worker.ts', import.meta.url), { env: {}, execArgv: [], resourceLimits })
  worker.on('error', () => {}) // the caller that waits gets the error; without one it only ends the thread
  worker.unref()
  return worker
}

/** Keeps the process alive while it waits for an answer, and only then. */
function countOn(worker: Worker, batch: CountBatch, limitMs: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const onExit = () => reject(new Error('the counting thread ended'))
  const limit = setTimeout(() => {
    reject(new Error(`the counting thread took longer than ${limitMs} ms over a batch`))
    void worker.terminate()
  }, limitMs)
  worker.ref()
  worker.once('message', resolve).once('error', reject).once('exit', onExit)
  worker.postMessage(batch)
  return promise.finally(() => {
    clearTimeout(limit)
    worker.off('message', resolve).off('error', reject).off('exit', onExit)
    worker.unref()
  })
}
