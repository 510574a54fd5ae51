import { execFileSync } from 'node:child_process'
import type { Child } from '@ratchet/infra/processes/child'
import type { OnStop } from './describe-fault.ts'
import { hasSettled } from './has-settled.ts'

/** A server for one fault test, which may kill and freeze it. */
export interface OwnServer {
  readonly port: number
  /** Kills all processes of the server at the same moment, like a crash of its machine. Resolves when they have ended. */
  kill(): Promise<void>
  /** Stops the server with a signal. Resolves when it has ended. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Freezes all processes of the server; connections stay open. */
  freeze(): void
  thaw(): void
  /** Starts the server again on its data and port. Resolves when it accepts connections. */
  start(): Promise<void>
  /** Starts the server again if it ended by itself, like an operator would; returns whether it had ended. */
  startIfEnded(): Promise<boolean>
}

/** Starts a server that is stopped after the fault test, in any state. */
export async function ownServer(port: number, launch: () => Promise<Child>, onStop: OnStop): Promise<OwnServer> {
  let running = await launch()
  const signalAll = (name: NodeJS.Signals) => {
    for (const pid of familyOf(running.pid)) signal(pid, name)
  }
  onStop(async () => {
    signalAll('SIGCONT')
    await running.stop()
  })
  return {
    port,
    async kill() {
      signalAll('SIGKILL')
      await running.exited
    },
    async end(name) {
      running.signal(name)
      await running.exited
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async start() {
      running = await launch()
    },
    async startIfEnded() {
      const ended = await hasSettled(running.exited)
      if (ended) running = await launch()
      return ended
    },
  }
}

/** A process and its children, which serve its connections; the parent first, so that it cannot react. */
function familyOf(parent: number): readonly number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number))
  return [parent, ...pairs.flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []))]
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process ended before the signal was sent.
  }
}
