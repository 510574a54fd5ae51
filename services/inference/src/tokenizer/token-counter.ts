import { setTimeout as wait } from 'node:timers/promises'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { type CountThread, createCountThread } from './count-thread.ts'
import type { EncodingName } from './model-encoding.ts'
import { sliceTexts } from './slice-texts.ts'

export interface TokenCounterOptions {
  readonly onStop: OnStop
  /** Is called when the counting thread died or hung. */
  readonly onCrash?: (error: unknown) => void
  /**
   * Milliseconds that one count may take, including the time that it waits. Without a count the maximum is charged,
   * so it is better that the answer waits. The first count of a process takes about half a second.
   */
  readonly timeLimitMs?: number
  /** Maximum number of counts that run or wait; one owner has at most a quarter of them. */
  readonly waitingMax?: number
  /** Milliseconds until a thread that died is started again. */
  readonly restMs?: number
  readonly thread?: CountThread
}

/**
 * UTF-16 units of one message to the thread: less than 1 ms of the main loop, and at most about 0.2 s of the thread.
 */
const batchLength = 65_536
/** Far more than a batch takes, even on a busy machine and with the vocabulary still to load. */
const batchLimitMs = 10_000

export interface CountOptions {
  readonly encoding: EncodingName
  /** Id of the workspace for which it counts. */
  readonly owner: string
}

interface Count {
  readonly encoding: EncodingName
  readonly batches: Iterator<readonly string[], void>
  tokens: number
  answer(tokens: number | null): void
}

/**
 * Counts tokens on a thread of its own, which starts with the first count. Texts are sent in slices; owners with counts
 * alternate, and so do the counts of an owner. A long count neither delays others nor blocks the main loop, and the counts of
 * one owner do not delay those of others.
 */
export function createTokenCounter(options: TokenCounterOptions) {
  const { onStop, onCrash, timeLimitMs = 10_000, waitingMax = 128, restMs = 1_000 } = options
  const thread = options.thread ?? createCountThread({ batchLimitMs })
  /** By owner, in the order of their turns. */
  const owners = new Map<string, Set<Count>>()
  let waiting = 0
  const stopped = new AbortController()
  let running = false

  async function countAll(): Promise<void> {
    if (running) return
    running = true
    for (;;) {
      const [owner, counts] = owners.entries().next().value ?? []
      const [count] = counts ?? []
      if (owner === undefined || counts === undefined || count === undefined) break
      await countBatch(count)
      // Those that came meanwhile are before them. An owner whose last count was answered may have new counts by now.
      if (counts.delete(count)) counts.add(count)
      if (owners.get(owner) !== counts) continue
      owners.delete(owner)
      owners.set(owner, counts)
    }
    running = false
  }

  async function countBatch(count: Count): Promise<void> {
    const batch = count.batches.next()
    if (batch.done) return count.answer(count.tokens)
    try {
      count.tokens += await thread.count({ texts: batch.value, encoding: count.encoding })
    } catch (error) {
      count.answer(null)
      if (stopped.signal.aborted) return
      onCrash?.(error)
      await wait(restMs, undefined, { ref: false, signal: stopped.signal }).catch(() => {})
    }
  }

  onStop(async () => {
    stopped.abort()
    for (const counts of owners.values()) for (const count of counts) count.answer(null)
    await thread.stop()
  })

  return {
    /**
     * The sum of the tokens of all texts; null when that took too long, too many counts were waiting, or the counting
     * thread died. Never rejects.
     */
    count(texts: readonly string[], { encoding, owner }: CountOptions): Promise<number | null> {
      const counts = owners.get(owner) ?? new Set<Count>()
      const isFull = waiting >= waitingMax || counts.size >= Math.max(1, waitingMax / 4)
      if (stopped.signal.aborted || isFull) return Promise.resolve(null)
      return new Promise((resolve) => {
        const count: Count = {
          encoding,
          batches: sliceTexts(texts, batchLength),
          tokens: 0,
          answer(tokens) {
            if (!counts.delete(count)) return
            clearTimeout(limit)
            waiting -= 1
            if (counts.size === 0) owners.delete(owner)
            resolve(tokens)
          },
        }
        const limit = setTimeout(() => count.answer(null), timeLimitMs)
        counts.add(count)
        owners.set(owner, counts)
        waiting += 1
        void countAll()
      })
    },
  }
}
