import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '@ratchet/infra/child'
import type { OnStop } from './describe-fault.ts'

/** A server that belongs to one fault, which may do to it what it likes. */
export interface OwnServer {
  readonly port: number
  /** Every process of it dies at the same moment, as when its machine goes. Resolves once it is gone. */
  kill(): Promise<void>
  /** Has it end the way that this signal means to it. Resolves once it is gone. */
  end(signal: NodeJS.Signals): Promise<void>
  /** None of its processes does anything any more; nothing closes. */
  freeze(): void
  thaw(): void
  /** Starts it again on what it left behind; same port. Resolves once it takes connections. */
  start(): Promise<void>
  /** The same if it ended by itself, as whoever runs a database does; whether it had. */
  startIfEnded(): Promise<boolean>
}

/** Starts a server, and has it stopped behind the fault in whatever state that left it. */
export async function ownServer(port: number, launch: () => Promise<Child>, onStop: OnStop): Promise<OwnServer> {
  let running = await launch()
  const hasEnded = () => Promise.race([running.exited.then(() => true), sleep(0, false)])
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
      const ended = await hasEnded()
      if (ended) running = await launch()
      return ended
    },
  }
}

/** A process and its children, which it started for its connections; the parent first, so that it cannot react. */
function familyOf(parent: number): readonly number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number))
  return [parent, ...pairs.flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []))]
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended between the list and the signal.
  }
}
