import { elapse } from '@ratchet/testing/elapse'
import type { Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'

export interface LoadOptions {
  /** Rate of requests, independent of answers to earlier ones. */
  readonly requestsPerSecond: number
  /** Number of concurrent streams; when one ends, another begins. */
  readonly streamsAtOnce: number
}

export interface Load {
  /** In the order of completion. */
  readonly answers: readonly Asked[]
  /** Number of streamed answers. */
  readonly streams: number
  /** Begins no further requests and waits for the last answer. */
  stop(): Promise<void>
}

const tickMs = 10
const tokenEveryMs = 50

/** Sends requests until it is stopped. The seed decides the lengths of streams. Connections are kept alive. */
export function startLoad(
  { ask, random }: Pick<Fault, 'ask' | 'random'>,
  { requestsPerSecond, streamsAtOnce }: LoadOptions,
): Load {
  const answers: Asked[] = []
  const running: Promise<unknown>[] = []
  const state = { over: false, streams: 0 }
  const requests = async () => {
    const startedAt = performance.now()
    for (let asked = 0; !state.over; await elapse(tickMs)) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * requestsPerSecond)
      for (; asked < due; asked++) running.push(ask({ model: 'sim/echo' }).then((answer) => answers.push(answer)))
    }
  }
  const stream = async () => {
    while (!state.over) {
      const body = { max_tokens: 20 + Math.floor(60 * random()) }
      answers.push(await ask({ model: `sim/pace-${tokenEveryMs}`, stream: true, body }))
      state.streams += 1
    }
  }
  const loops = [requests(), ...Array.from({ length: streamsAtOnce }, stream)]
  return {
    answers,
    get streams() {
      return state.streams
    },
    async stop() {
      state.over = true
      await Promise.all(loops)
      await Promise.all(running)
    },
  }
}
