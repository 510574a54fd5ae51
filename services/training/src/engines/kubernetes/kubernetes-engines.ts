import type { Engines } from '../engines.ts'
import type { AdapterUploads } from './adapter-uploads.ts'
import type { EngineCluster } from './engine-cluster.ts'
import { addressOf, enginePorts, startedEngineOf } from './engine-pod.ts'
import { type EngineProfile, type EngineScope, podOf, profileOf } from './engine-profile.ts'

export interface KubernetesEnginesOptions extends EngineScope {
  readonly cluster: EngineCluster
  readonly profiles: readonly EngineProfile[]
  readonly uploads: AdapterUploads
  readonly now: () => Date
}

/** Time after its grace period in which a pod has to be gone, milliseconds. Longer, and its node does not answer any more. */
const goneAfterMs = 60_000

/**
 * Engines on a cluster, a pod for each, with vLLM and a container that takes its adapters. They outlive the worker, and every
 * worker sees all of them. They need no account, no way out of their network, and no address of a bucket.
 */
export function createKubernetesEngines(options: KubernetesEnginesOptions): Engines {
  const { cluster, profiles, uploads, now, namespace, owner } = options
  const uploadAddress = async (name: string) => {
    const pod = (await cluster.list()).find(({ metadata }) => metadata.name === name)
    const ip = pod?.status?.podIP ?? null
    if (ip === null) throw new Error(`the engine ${name} has no address`)
    return addressOf(ip, enginePorts.adapters)
  }
  return {
    name: 'kubernetes',
    endsWithWorker: false,
    async start(order) {
      const profile = profileOf(profiles, order)
      if (profile === null)
        throw new Error(`no engine profile is for ${order.baseModel} on ${order.hardware ?? 'any machine'}`)
      await cluster.create(podOf(profile, order, { namespace, owner }))
    },
    stop: (name, how) => cluster.remove(name, how),
    async list() {
      const pods = await cluster.list()
      for (const { metadata } of pods) {
        const dueMs = metadata.deletionTimestamp?.getTime() ?? Number.POSITIVE_INFINITY
        if (now().getTime() - dueMs > goneAfterMs) await cluster.remove(metadata.name, 'now')
      }
      // What is being deleted was stopped, and its name is free soon.
      return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(startedEngineOf)
    },
    forget: (name) => cluster.remove(name, 'now'),
    place: async (engine, adapter) => uploads.place(await uploadAddress(engine), adapter),
    discard: async (engine, adapter) => uploads.discard(await uploadAddress(engine), adapter),
  }
}
