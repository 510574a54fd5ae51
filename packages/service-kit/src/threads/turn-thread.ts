import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { OnStop } from '../process/run-process.ts'
import { createFairPlaces } from '../timing/fair-places.ts'

/**
 * Runs long computations on a thread of its own, one at a time; workspaces with waiting work take turns, by the time that theirs
 * needs. The longest ones have a second thread, so that the others never wait for one of them.
 */
export interface TurnThread<Input, Output> {
  /**
   * @param moved memory of the input that the thread gets without a copy; the caller can no longer read it
   * @throws ServiceError `service_unavailable` when too much of the workspace waits, or for too long
   * @throws ThreadEnded when the computation needs more memory or time than it may have; and what the computation throws
   */
  run(workspaceId: string, input: Input, moved?: readonly ArrayBuffer[]): Promise<Output>
}

export interface TurnLimits {
  readonly ms: number
  /** Milliseconds of processor time, with those that a new thread needs to start. Absent: any. */
  readonly cpuMs?: number
  readonly heapMb: number
}

export interface TurnThreadOptions<Input> {
  /** The module that the thread runs. */
  readonly task: URL
  /** The function of the module. */
  readonly name: string
  readonly onStop: OnStop
  /** Milliseconds that work waits for that of others at most. */
  readonly maxWaitMs: number
  /** Work of one workspace that waits at most. */
  readonly maxWaitingOfWorkspace: number
  /** What one computation may use at most. Absent: any. */
  readonly limits?: TurnLimits
  /** Whether a computation is one of the longest, such as one that may take more than 100 ms. */
  readonly isLong: (input: Input) => boolean
  /** A clock, milliseconds. */
  readonly nowMs?: () => number
}

/** The thread died or was ended while it computed. Only this computation failed: the next one gets a new thread. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded'
  /** What it had used up. Time can be short only because the machine is busy. */
  readonly lack: 'memory' | 'time'

  constructor(lack: ThreadEnded['lack'], options: ErrorOptions) {
    super(`the thread ended for lack of ${lack}`, options)
    this.lack = lack
  }
}

const maxWaiting = 1_000
/** Megabytes of heap of what is not one of the longest computations, where they have a limit. */
const shortHeapMb = 64
/** The thread gets neither the keys nor the instrumentation of this process. It ends when no work comes. */
const thread = { minThreads: 0, maxThreads: 1, idleTimeout: 60_000, env: {}, execArgv: [] }

export function createTurnThread<Input, Output>(options: TurnThreadOptions<Input>): TurnThread<Input, Output> {
  const { isLong, limits } = options
  const shortLimits =
    limits === undefined ? {} : { limits: { ...limits, heapMb: Math.min(limits.heapMb, shortHeapMb) } }
  const long = createLane<Input, Output>(options)
  const short = createLane<Input, Output>({ ...options, ...shortLimits })
  return { run: (workspaceId, input, moved = []) => (isLong(input) ? long : short)(workspaceId, input, moved) }
}

/** One thread and its turns. */
function createLane<Input, Output>({ task, name, onStop, limits, ...options }: TurnThreadOptions<Input>) {
  const { maxWaitMs, maxWaitingOfWorkspace: ofOwner, nowMs = () => performance.now() } = options
  const resourceLimits = limits === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: limits.heapMb } }
  const pool = new Piscina<Input, Output>({ filename: task.href, name, ...thread, ...resourceLimits })
  const maxOfAll = { ofOwner, ofAll: maxWaiting }
  const turns = createFairPlaces({ places: 1, maxOfOwner: 1, maxWaitMs, maxWaiting: maxOfAll, nowMs })
  // A thread may die while it is idle; piscina starts the next one.
  pool.on('error', () => undefined)
  onStop(() => pool.destroy())

  const compute = async (input: Input, moved: readonly ArrayBuffer[]): Promise<Output> => {
    const spent = new AbortController()
    const stopWatching = limits?.cpuMs === undefined ? () => {} : watchCpu(pool, limits.cpuMs, () => spent.abort())
    const signal = limits === undefined ? null : AbortSignal.any([AbortSignal.timeout(limits.ms), spent.signal])
    try {
      return await pool.run(input, { signal, transferList: [...moved] })
    } catch (cause) {
      if (isDeath(cause)) throw new ThreadEnded('memory', { cause })
      if (signal?.aborted) throw new ThreadEnded('time', { cause })
      throw cause
    } finally {
      stopWatching()
    }
  }
  return (workspaceId: string, input: Input, moved: readonly ArrayBuffer[]) =>
    turns.run(workspaceId, () => compute(input, moved))
}

const watchMs = 250

/** Calls `onSpent` when the thread of a pool has used more processor time since now, as the system counts it. */
function watchCpu(pool: Pick<Piscina, 'threads'>, maxMs: number, onSpent: () => void): () => void {
  let first: Promise<number> = usedMs(pool.threads[0])
  const look = setInterval(async () => {
    const [before, now] = [await first, await usedMs(pool.threads[0])]
    // A new thread has begun to count again.
    if (now < before) first = Promise.resolve(0)
    if (now - before > maxMs) onSpent()
  }, watchMs).unref()
  return () => clearInterval(look)
}

/** Of a thread that has not started or has ended: 0. */
async function usedMs(thread: Worker | undefined): Promise<number> {
  try {
    const { user, system } = (await thread?.cpuUsage()) ?? { user: 0, system: 0 }
    return (user + system) / 1_000
  } catch {
    return 0
  }
}

/** Out of memory, or an exit. */
function isDeath(cause: unknown): boolean {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown }
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || /^worker exited with code/.test(String(message))
}
