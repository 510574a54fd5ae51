import { Worker } from 'node:worker_threads'
import type { SpeechJob, SpeechResult, SpeechThreadData } from './speech-messages.ts'

/** A thread for the models of local speech, so that no call's model delays another one's audio. */
export interface SpeechThread {
  /** Jobs are done one after the other. Rejects when there are too many, or when the thread died. */
  run(job: SpeechJob): Promise<SpeechResult>
  /** Jobs that wait or are under way. */
  readonly load: number
  stop(): Promise<void>
}

/** Jobs that may wait: more would be answered when nobody waits any more. */
const maxWaiting = 64
/** A job that takes longer has hung. */
const jobLimitMs = 20_000

interface Waiting {
  readonly job: SpeechJob
  readonly resolve: (result: SpeechResult) => void
  readonly reject: (error: Error) => void
}

export function createSpeechThread(data: SpeechThreadData): SpeechThread {
  const waiting: Waiting[] = []
  let worker: Worker | null = null
  let limit: NodeJS.Timeout | undefined

  const start = (): Worker => {
    // It gets no keys of this process.
    const started = new Worker(new URL('./speech-worker.ts', import.meta.url), {
      env: {},
      execArgv: ['--no-warnings'],
      workerData: data,
    })
    const died = (reason: string) => {
      if (worker !== started) return
      worker = null
      const [first] = waiting.splice(0, 1)
      first?.reject(new Error(reason))
      next()
    }
    started.on('message', (result: SpeechResult) => {
      if (worker !== started) return
      waiting.shift()?.resolve(result)
      next()
    })
    started.on('error', (error) => died(error.message))
    started.on('exit', () => died('the thread of local speech ended'))
    started.unref()
    return started
  }
  const next = () => {
    clearTimeout(limit)
    const [first] = waiting
    if (first === undefined) return
    worker ??= start()
    const busy = worker
    limit = setTimeout(() => void busy.terminate(), jobLimitMs)
    limit.unref()
    busy.postMessage(first.job)
  }

  return {
    run(job) {
      if (waiting.length >= maxWaiting) return Promise.reject(new Error('too much local speech at the same time'))
      const { promise, resolve, reject } = Promise.withResolvers<SpeechResult>()
      waiting.push({ job, resolve, reject })
      if (waiting.length === 1) next()
      return promise
    },
    get load() {
      return waiting.length
    },
    async stop() {
      clearTimeout(limit)
      const stopped = worker
      worker = null
      for (const { reject } of waiting.splice(0)) reject(new Error('the thread of local speech was stopped'))
      await stopped?.terminate()
    },
  }
}
