import { setTimeout as wait } from 'node:timers/promises'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { pollForWork } from './poll-for-work.ts'
import type { WorkChanges } from './work-changes.ts'

/** Work that is found by polling, without a queue. */
export interface DueWork<Work> {
  /** Takes work that is due: at most `limit` pieces, and none that this process already has in progress. */
  readonly take: (limit: number, inProgress: readonly Work[]) => Promise<readonly Work[]>
  readonly process: (work: Work) => Promise<void>
  /** Maximum pieces in progress at the same time. */
  readonly concurrency: number
  /** Called when `process` rejects. */
  readonly onError: (error: unknown) => void
  /** Called when a piece ended, and when none was due. */
  readonly onProgress?: () => void
}

export interface DueRunner {
  /**
   * Starts work until no more is due or there is no room for more. Work that takes long continues afterwards. Not for
   * concurrent calls. Resolves with how many pieces it started. @throws what `take` throws
   */
  fill(): Promise<number>
  /** Takes no more work. Resolves when none is in progress. */
  stop(): Promise<void>
}

/** Interval between polls while work is in progress, milliseconds. */
const pollEveryMs = 500

/** Runs pieces of work at the same time. One that takes long occupies its own place and delays no other piece. */
export function createDueRunner<Work>(work: DueWork<Work>): DueRunner {
  const { take, process, concurrency, onError, onProgress = () => undefined } = work
  const inProgress = new Map<Work, Promise<void>>()
  let isStopped = false
  let filling = Promise.resolve(0)

  async function start(): Promise<number> {
    const taken = await take(concurrency - inProgress.size, [...inProgress.keys()])
    if (taken.length === 0) onProgress()
    for (const piece of taken) {
      const ended = process(piece).catch(onError)
      inProgress.set(
        piece,
        ended.then(() => {
          inProgress.delete(piece)
          onProgress()
        }),
      )
    }
    return taken.length
  }

  async function fill(): Promise<number> {
    let started = 0
    while (!isStopped && inProgress.size < concurrency) {
      const taken = await start()
      if (taken === 0) break
      started += taken
      await Promise.race([...inProgress.values(), wait(pollEveryMs)])
    }
    return started
  }

  return {
    fill() {
      filling = fill()
      return filling
    },
    async stop() {
      isStopped = true
      await filling.catch(() => 0)
      await Promise.all(inProgress.values())
    },
  }
}

export interface DueWorkOptions {
  readonly everyMs: number
  readonly changes: WorkChanges
  readonly onStop: OnStop
}

/** Polls for work until the process stops, which waits for the work in progress. */
export function startDueWork<Work>(work: DueWork<Work>, { everyMs, changes, onStop }: DueWorkOptions): void {
  const runner = createDueRunner(work)
  const stopPolling = pollForWork({ everyMs, changes, work: runner.fill, onError: work.onError })
  onStop(() => Promise.all([runner.stop(), stopPolling()]))
}
