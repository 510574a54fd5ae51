import type { StartedTrainer, Trainer } from '../trainer.ts'
import type { Cluster, LaunchKind } from './cluster.ts'
import { type LaunchProfile, type LaunchScope, manifestOf, profileFor, queueOf, secretOf } from './launch-profile.ts'
import { endStateOf, exitCodeOf, isWaiting, type LaunchedObject } from './launched-state.ts'

export interface KubernetesTrainerOptions extends LaunchScope {
  readonly cluster: Cluster
  readonly slots: number
  readonly profiles: readonly LaunchProfile[]
  /** Where its trainers reach the service `training`; absent: where all do. */
  readonly url?: string | undefined
}

/** Exit code of an object that failed without one. */
const noCode = 1

/**
 * Programs on a cluster, one Job for each attempt, or a TrainJob or RayJob where a model needs several nodes. They outlive
 * the worker, and every worker sees all of them. Retries are the product's own: an object that fails is an attempt that is
 * lost.
 */
export function createKubernetesTrainer({
  cluster,
  slots,
  profiles,
  url,
  ...scope
}: KubernetesTrainerOptions): Trainer {
  const kinds = kindsOf(profiles)
  const kindByName = new Map<string, LaunchKind>()

  const stateOf = async (kind: LaunchKind, objects: readonly LaunchedObject[]): Promise<readonly StartedTrainer[]> => {
    const ends = objects
      // What is being deleted was stopped, and its name is free soon.
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((object) => ({ name: object.metadata.name, end: endStateOf(object), isWaiting: isWaiting(object) }))
    const needsCodes = kind.kind === 'Job' && ends.some(({ end }) => end === 'failed')
    const pods = needsCodes ? await cluster.listPods() : []
    return ends.map(({ name, end, isWaiting: waits }) => {
      kindByName.set(name, kind)
      if (end === null) return { name, exitCode: null, isWaiting: waits }
      return { name, exitCode: end === 'complete' ? 0 : (exitCodeOf(name, pods) ?? noCode) }
    })
  }

  const remove = async (name: string) => {
    const known = kindByName.get(name)
    // Another worker may have started it, so that its kind is not known here.
    for (const kind of known === undefined ? kinds : [known]) await cluster.remove(kind, name)
    kindByName.delete(name)
  }

  return {
    name: 'kubernetes',
    slots,
    endsWithWorker: false,
    async start(order) {
      const profile = profileFor(profiles, order.model)
      if (profile === null) throw new Error(`no launch profile is for the model ${order.model}`)
      const manifest = manifestOf(profile, { ...order, url: url ?? order.url }, scope)
      const { apiVersion, kind } = manifest
      const metadata = { ...manifest.metadata, name: order.name, namespace: scope.namespace }
      // One that an operator has created, with a weight of its own, stays as it is.
      if (profile.queue !== undefined) await cluster.create(queueOf(profile.queue, order, scope))
      const uid = await cluster.create({ ...manifest, metadata })
      await cluster.create(secretOf(order, scope, { apiVersion, kind, uid }))
      kindByName.set(order.name, { apiVersion, kind })
    },
    stop: remove,
    async list() {
      const lists = await Promise.all(kinds.map(async (kind) => stateOf(kind, await cluster.list(kind))))
      return lists.flat()
    },
    forget: remove,
  }
}

/** The kinds that the profiles use, each once. Those of the others may not exist on the cluster. */
function kindsOf(profiles: readonly LaunchProfile[]): readonly LaunchKind[] {
  const kinds = new Map<string, LaunchKind>()
  for (const { manifest } of profiles)
    kinds.set(manifest.kind, { apiVersion: manifest.apiVersion, kind: manifest.kind })
  return [...kinds.values()]
}
