import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from '@ratchet/testing/eventually'
import type { WebCaller } from '@ratchet/testing/web-caller'
import { rejoinCall } from './call-system.fixture.ts'

export interface WorkerProcess {
  readonly port: number
  readonly process: ChildProcess
}

/** Workers as processes that a test kills. */
export function workerProcesses(databaseUrl: () => string) {
  const processes: ChildProcess[] = []
  return {
    /** @param sipPort where trunks reach it; absent: none do */
    async start(sipPort?: number): Promise<WorkerProcess> {
      const path = fileURLToPath(new URL('./worker-process.fixture.ts', import.meta.url))
      const child = spawn(
        process.execPath,
        [path, databaseUrl(), ...(sipPort === undefined ? [] : [String(sipPort)])],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      processes.push(child)
      const [line] = await once(child.stdout, 'data')
      return { port: Number(String(line).trim()), process: child }
    },
    killAll() {
      for (const child of processes) child.kill('SIGKILL')
    },
  }
}

/** Connects again and again, as clients do. */
export async function rejoin(
  before: WebCaller,
  id: string,
  workers: readonly Pick<WorkerProcess, 'port'>[],
): Promise<WebCaller> {
  for (let tried = 0; ; tried++) {
    const worker = workers[tried % workers.length]
    if (worker === undefined) throw new Error('no worker')
    const caller = rejoinCall(before, id, worker)
    const isOpen = await Promise.race([
      caller.closed.then(() => false),
      eventually(() => caller.messages.length > 0).then(() => true),
    ])
    if (isOpen) return caller
    await new Promise((resolve) => setTimeout(resolve, 200).unref())
  }
}
