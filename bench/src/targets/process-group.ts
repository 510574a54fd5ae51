import { connect } from 'node:net'
import { type Child, type ChildSpec, startChild } from '@ratchet/infra/processes/child'
import type { CorePlan } from '../machine/machine.ts'

/** Starts the processes of a run and stops them all at the end, in reverse order. */
export interface ProcessGroup {
  /** Starts a process on the target's core. A quiet one prints nothing unless it fails to start. */
  startTarget(spec: ChildSpec, how?: { quiet: boolean }): Promise<Child>
  /** Starts a process on the cores of the load. */
  startAside(spec: ChildSpec): Promise<Child>
  stop(): Promise<void>
}

/** Maximum lines that are shown of one process: enough to notice a problem, but not more than the figures. */
const maxLines = 10
const maxCharacters = 300

/** @param say is called with the lines that the processes print */
export function createProcessGroup(cores: CorePlan | null, say: (line: string) => void): ProcessGroup {
  const running: Child[] = []
  const start = (spec: ChildSpec, quiet: boolean) => {
    let lines = 0
    const onLine = (line: string) => {
      lines += 1
      if (quiet || lines > maxLines) return
      say(`${spec.name}: ${line.slice(0, maxCharacters)}`)
      if (lines === maxLines) say(`${spec.name}: (further lines are not shown)`)
    }
    return startChild(spec, { onSpawn: (child) => void running.push(child), onLine })
  }
  return {
    startTarget: (spec, { quiet } = { quiet: false }) => start(cores === null ? spec : pinned(spec, cores), quiet),
    startAside: (spec) => start(spec, false),
    async stop() {
      for (const child of running.splice(0).reverse()) await child.stop()
    },
  }
}

function pinned(spec: ChildSpec, { taskset, target }: CorePlan): ChildSpec {
  return { ...spec, command: taskset, args: ['-c', target, spec.command, ...spec.args] }
}

/** The specification of a server of ours that takes its port as an argument. */
export function serverSpec(options: {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly port: number
  readonly env?: Readonly<Record<string, string>>
  readonly readyTimeoutMs?: number
}): ChildSpec {
  return {
    name: options.name,
    command: options.command,
    args: options.args,
    env: { PATH: process.env.PATH, ...options.env },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 2_000,
    readyTimeoutMs: options.readyTimeoutMs ?? 20_000,
    isReady: () => takesConnections(options.port),
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}
