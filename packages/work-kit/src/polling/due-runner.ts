import { setTimeout as wait } from 'node:timers/promises'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'

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
   * concurrent calls. @throws what `take` throws
   */
  fill(): Promise<void>
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
  let filling = Promise.resolve()

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

  async function fill(): Promise<void> {
    while (!isStopped && inProgress.size < concurrency && (await start()) > 0) {
      await Promise.race([...inProgress.values(), wait(pollEveryMs)])
    }
  }

  return {
    fill() {
      filling = fill()
      return filling
    },
    async stop() {
      isStopped = true
      await filling.catch(() => undefined)
      await Promise.all(inProgress.values())
    },
  }
}

/** Polls for work until the process stops, which waits for the work in progress. */
export function startDueWork<Work>(
  work: DueWork<Work>,
  { everyMs, onStop }: { readonly everyMs: number; readonly onStop: OnStop },
): void {
  const runner = createDueRunner(work)
  const stopPolling = repeatEvery({ everyMs, work: runner.fill, onError: work.onError })
  onStop(() => Promise.all([runner.stop(), stopPolling()]))
}
