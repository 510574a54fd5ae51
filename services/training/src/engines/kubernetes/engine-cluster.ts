import type { KubernetesObject } from '@kubernetes/client-node'
import { z } from 'zod'
import type { ClusterAccess } from '../../trainers/kubernetes/kubernetes-cluster.ts'
import { EnginePod } from './engine-pod.ts'
import { type EngineScope, engineOwnerLabel } from './engine-profile.ts'

/** What the worker needs of a Kubernetes API server to run engines. Each call may be repeated. */
export interface EngineCluster {
  /** Does nothing when there is one of that name. */
  create(pod: object): Promise<void>
  /** Those of this installation. */
  list(): Promise<readonly EnginePod[]>
  /** `now` gives it no time. Does nothing when there is none. */
  remove(name: string, how: 'gracefully' | 'now'): Promise<void>
}

const maxListed = 500

/** A cluster by the official client, which is loaded here because it needs 90 MB. @throws Error when the access cannot be read */
export async function connectEngineCluster(
  access: ClusterAccess,
  { namespace, owner }: EngineScope,
): Promise<EngineCluster> {
  const { KubeConfig, KubernetesObjectApi } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  if (access.kind === 'pod') config.loadFromCluster()
  else config.loadFromFile(access.path)
  const api = KubernetesObjectApi.makeApiClient(config)
  const none = undefined
  return {
    async create(pod) {
      await api.create(pod as KubernetesObject).catch(exceptStatus(409))
    },
    async list() {
      const labels = `${engineOwnerLabel}=${owner}`
      const found = await api.list('v1', 'Pod', namespace, none, none, none, none, labels, maxListed)
      return z.array(EnginePod).parse(found.items)
    },
    async remove(name, how) {
      const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } }
      const graceSeconds = how === 'now' ? 0 : none
      await api.delete(object, none, none, graceSeconds, none, 'Background').catch(exceptStatus(404))
    },
  }
}

function exceptStatus(code: number): (error: unknown) => void {
  return (error) => {
    const refused = z.looseObject({ code: z.int() }).safeParse(error)
    if (!refused.success || refused.data.code !== code) throw error
  }
}
