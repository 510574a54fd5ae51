import { type Child, type ChildExit, type ChildSpec, describeExit, startChild } from './child.ts'

export interface SupervisorOptions {
  /** Every line that a process prints. */
  readonly onLine: (name: string, line: string) => void
  /** What the supervisor itself has to say. */
  readonly say: (text: string) => void
  /** Called whenever a process id changes, with all of them. */
  readonly onPids: (pids: Readonly<Record<string, number>>) => void
}

export interface Supervisor {
  /** Starts one process and keeps it running from then on. Rejects when it does not get ready the first time. */
  start(spec: ChildSpec): Promise<void>
  /** Stops everything, last started first, each given its own time. */
  stop(): Promise<void>
  /** Tells what still drains to finish at once, and kills what is left of it after a few seconds. */
  hurry(): void
  pids(): Readonly<Record<string, number>>
}

interface Kept {
  readonly spec: ChildSpec
  child: Child | null
  failures: number
}

const firstBackoffMs = 250
const longestBackoffMs = 10_000
/** A process that ran this long starts again without the backoff it earned before. */
const healthyMs = 60_000
const hurryMs = 4_000

/** Keeps processes running: restarts one that ends by itself, with growing pauses, and stops them in order. */
export function createSupervisor({ onLine, say, onPids }: SupervisorOptions): Supervisor {
  const kept: Kept[] = []
  let stopping: Promise<void> | null = null
  const stopped = new AbortController()

  const pids = () => Object.fromEntries(kept.flatMap(({ child }) => (child === null ? [] : [[child.name, child.pid]])))

  function keep(entry: Kept, child: Child | null): void {
    entry.child = child
    onPids(pids())
  }

  async function run(entry: Kept): Promise<void> {
    const onSpawn = (child: Child) => keep(entry, child)
    const started = startChild(entry.spec, { onLine: (line) => onLine(entry.spec.name, line), onSpawn })
    const child = await started.catch((error: unknown) => {
      keep(entry, null)
      throw error
    })
    const readyAt = performance.now()
    void child.exited.then((exit) => {
      if (performance.now() - readyAt > healthyMs) entry.failures = 0
      keep(entry, null)
      if (stopping === null) void revive(entry, exit)
    })
  }

  async function revive(entry: Kept, exit: ChildExit): Promise<void> {
    const { name } = entry.spec
    say(`${name} ${describeExit(exit)}; starting it again`)
    while (stopping === null) {
      await pause(backoffMs(entry.failures), stopped.signal)
      entry.failures += 1
      if (stopping !== null) return
      const failure = await run(entry).then(
        () => null,
        (error: Error) => error.message,
      )
      if (failure === null) return say(`${name} is back`)
      if (stopping === null) say(failure)
    }
  }

  return {
    async start(spec) {
      const entry: Kept = { spec, child: null, failures: 0 }
      kept.push(entry)
      await run(entry)
    },
    stop() {
      stopping ??= (async () => {
        stopped.abort()
        for (const { child } of kept.toReversed()) await child?.stop()
      })()
      return stopping
    },
    hurry() {
      const draining = kept.flatMap(({ child, spec }) => (child !== null && spec.drains === true ? [child] : []))
      const signal = (name: NodeJS.Signals) => {
        for (const child of draining) child.signal(name)
      }
      signal('SIGTERM')
      // For those that only heard of it now, this is the second one.
      setTimeout(signal, hurryMs / 4, 'SIGTERM').unref()
      setTimeout(signal, hurryMs, 'SIGKILL').unref()
    },
    pids,
  }
}

function backoffMs(failures: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** failures)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
