import { backoff } from '@ratchet/service-kit/timing/backoff'
import { type Child, type ChildExit, type ChildSpec, describeExit, startChild } from './child.ts'

export interface SupervisorOptions {
  /** Called with every line that a process prints. */
  readonly onLine: (name: string, line: string) => void
  /** Called with the supervisor's own messages. */
  readonly say: (text: string) => void
  /** Called with all process ids whenever one changes. */
  readonly onPids: (pids: Readonly<Record<string, number>>) => void
}

export interface Supervisor {
  /** Starts one process and restarts it when it ends. Rejects when the first start fails. */
  start(spec: ChildSpec): Promise<void>
  /** Stops all processes, last started first, each within its own timeout. */
  stop(): Promise<void>
  /** Stops all processes and forgets them, so that others can be started. */
  clear(): Promise<void>
  isStopping(): boolean
  /** Tells draining processes to stop at once, and kills those that still run after a few seconds. */
  hurry(): void
  pids(): Readonly<Record<string, number>>
}

interface SupervisedProcess {
  readonly spec: ChildSpec
  child: Child | null
  failures: number
}

/** Delays before a process that ended is started again. */
const restartDelays = { firstMs: 250, maxMs: 10_000 }
/** After a run of this length the delays begin again with the first, milliseconds. */
const healthyMs = 60_000
const killAfterMs = 4_000

/** Keeps processes running: restarts those that end, after increasing delays, and stops all in order. */
export function createSupervisor({ onLine, say, onPids }: SupervisorOptions): Supervisor {
  let processes: SupervisedProcess[] = []
  let stopping: Promise<void> | null = null
  const stopped = new AbortController()

  const pids = () =>
    Object.fromEntries(processes.flatMap(({ child }) => (child === null ? [] : [[child.name, child.pid]])))

  function setChild(entry: SupervisedProcess, child: Child | null): void {
    entry.child = child
    onPids(pids())
  }

  async function run(entry: SupervisedProcess): Promise<void> {
    const onSpawn = (child: Child) => setChild(entry, child)
    const started = startChild(entry.spec, { onLine: (line) => onLine(entry.spec.name, line), onSpawn })
    const child = await started.catch((error: unknown) => {
      setChild(entry, null)
      throw error
    })
    const readyAt = performance.now()
    void child.exited.then((exit) => {
      if (performance.now() - readyAt > healthyMs) entry.failures = 0
      setChild(entry, null)
      if (stopping === null && processes.includes(entry)) void restart(entry, exit)
    })
  }

  async function restart(entry: SupervisedProcess, exit: ChildExit): Promise<void> {
    const { name } = entry.spec
    say(`${name} ${describeExit(exit)}; restarting it`)
    while (stopping === null && processes.includes(entry)) {
      await pause(backoff(entry.failures, restartDelays), stopped.signal)
      entry.failures += 1
      if (stopping !== null || !processes.includes(entry)) return
      const failure = await run(entry).then(
        () => null,
        (error: Error) => error.message,
      )
      if (failure === null) return say(`${name} is running again`)
      if (stopping === null) say(failure)
    }
  }

  return {
    async start(spec) {
      const entry: SupervisedProcess = { spec, child: null, failures: 0 }
      processes.push(entry)
      await run(entry)
    },
    stop() {
      stopped.abort()
      stopping ??= stopAll(processes)
      return stopping
    },
    clear() {
      const cleared = processes
      processes = []
      return stopAll(cleared)
    },
    isStopping: () => stopping !== null,
    hurry: () => hurryAll(processes),
    pids,
  }
}

async function stopAll(processes: readonly SupervisedProcess[]): Promise<void> {
  for (const { child } of processes.toReversed()) await child?.stop()
}

function hurryAll(processes: readonly SupervisedProcess[]): void {
  const draining = processes.flatMap(({ child, spec }) => (child !== null && spec.drains === true ? [child] : []))
  const signal = (name: NodeJS.Signals) => {
    for (const child of draining) child.signal(name)
  }
  signal('SIGTERM')
  // A process that received its first SIGTERM just now needs a second one.
  setTimeout(signal, killAfterMs / 4, 'SIGTERM').unref()
  setTimeout(signal, killAfterMs, 'SIGKILL').unref()
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
