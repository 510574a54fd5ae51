import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { ApiServer } from '@ratchet/testing/kubernetes-api-server.fixture'

/** A node of a cluster that runs the pods of engines as processes of this machine. */
export interface ClusterNode {
  /** Lets pods start. Until then they wait, as in a cluster without a free GPU. */
  admit(): void
  /** Its machine is gone: what it ran has ended, and the API server still believes that it runs. */
  lose(pod: string): Promise<void>
  stop(): Promise<void>
}

interface RunningPod {
  readonly folder: string
  readonly processes: readonly ChildProcess[]
}

const engineScript = path.join(repositoryRoot, 'test-e2e/pool/scripted-engine.ts')
const adaptersScript = path.join(repositoryRoot, 'services/training/src/engines/kubernetes/main.ts')
const everyMs = 100

// biome-ignore lint/suspicious/noExplicitAny: objects of the API server
type Json = any

/**
 * Starts a node that looks at the pods of the API server all the time. Each pod gets an address of its own on loopback, on which
 * its containers have the ports that they have in a cluster.
 *
 * @param network of this test alone, as the second and third number of the addresses
 */
export function startClusterNode(server: ApiServer, network: readonly [number, number]): ClusterNode {
  const running = new Map<string, RunningPod>()
  let isAdmitted = false
  let pods = 0

  async function run(pod: Json): Promise<void> {
    const { name } = pod.metadata
    const folder = await mkdtemp(path.join(tmpdir(), 'adapters-'))
    pods += 1
    const ip = `127.${network.join('.')}.${pods}`
    const base = pod.spec.containers[0].args
      .find((each: string) => each.startsWith('--served-model-name='))
      .split('=')[1]
    const engine = spawn(process.execPath, [engineScript, '--name', base, '--host', ip, '--port', '8000'])
    const adapters = spawn(process.execPath, [adaptersScript], { env: { HOST: ip, ADAPTERS_DIR: folder } })
    running.set(name, { folder, processes: [engine, adapters] })
    pod.spec.nodeName = 'node-1'
    pod.status = { phase: 'Running', podIP: ip, containerStatuses: statusesOf(pod, false) }
    await Promise.race([once(engine.stdout, 'data'), once(engine, 'exit')])
    pod.status.containerStatuses = statusesOf(pod, true)
  }

  const look = async () => {
    const present = new Map<string, Json>(server.objects('pods').map((pod) => [pod.metadata.name, pod]))
    for (const name of [...running.keys()]) if (!present.has(name)) await end(name)
    if (!isAdmitted) return
    for (const [name, pod] of present) if (!running.has(name)) await run(pod)
  }

  async function end(name: string): Promise<void> {
    const pod = running.get(name)
    running.delete(name)
    await kill(pod?.processes ?? [])
    if (pod !== undefined) await rm(pod.folder, { recursive: true, force: true })
  }

  const stopLooking = repeatEvery({
    everyMs,
    work: look,
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  })
  return {
    admit() {
      isAdmitted = true
    },
    async lose(pod) {
      await kill(running.get(pod)?.processes ?? [])
    },
    async stop() {
      await stopLooking()
      for (const name of [...running.keys()]) await end(name)
    },
  }
}

function statusesOf(pod: Json, ready: boolean): readonly object[] {
  return pod.spec.containers.map(({ name }: Json) => ({ name, ready }))
}

async function kill(processes: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    processes.map(async (each) => {
      if (each.exitCode !== null || each.signalCode !== null) return
      const exited = once(each, 'exit')
      each.kill('SIGKILL')
      await exited
    }),
  )
}
