import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node'
import { z } from 'zod'
import type { Cluster, ClusterObject, LaunchKind } from './cluster.ts'
import { type LaunchScope, ownerLabel } from './launch-profile.ts'
import { LaunchedObject, LaunchedPod } from './launched-state.ts'

/** How to reach an API server: as the pod's own account, or by the file of `kubectl`. */
export type ClusterAccess = { readonly kind: 'pod' } | { readonly kind: 'file'; readonly path: string }

/** Objects of one list. There is one for each attempt that runs or has just ended. */
const maxListed = 500

/**
 * A cluster by the official client, which is loaded here because it needs 90 MB.
 *
 * @throws Error when the access cannot be read
 */
export async function connectCluster(access: ClusterAccess, { namespace, owner }: LaunchScope): Promise<Cluster> {
  const { KubeConfig, KubernetesObjectApi } = await import('@kubernetes/client-node')
  const config: KubeConfig = new KubeConfig()
  if (access.kind === 'pod') config.loadFromCluster()
  else config.loadFromFile(access.path)
  const api = KubernetesObjectApi.makeApiClient(config)
  const selector = `${ownerLabel}=${owner}`
  const listed = async ({ apiVersion, kind }: LaunchKind, labels: string) => {
    const none = undefined
    const found = await api.list(apiVersion, kind, namespace, none, none, none, none, labels, maxListed)
    return found.items
  }
  return {
    async create(object) {
      const { metadata } = await api.create(object as KubernetesObject).catch((error: unknown) => {
        if (statusOf(error) !== 409) throw error
        return api.read(headerOf(object))
      })
      return z.string().parse(metadata?.uid)
    },
    list: async (kind) => z.array(LaunchedObject).parse(await listed(kind, selector)),
    // The Job's manifest need not label its pods: Kubernetes does.
    listPods: async () =>
      z.array(LaunchedPod).parse(await listed({ apiVersion: 'v1', kind: 'Pod' }, 'batch.kubernetes.io/job-name')),
    async remove({ apiVersion, kind }, name) {
      const object = { apiVersion, kind, metadata: { name, namespace } }
      const none = undefined
      await api.delete(object, none, none, none, none, 'Background').catch((error: unknown) => {
        if (statusOf(error) !== 404) throw error
      })
    },
  }
}

function headerOf({ apiVersion, kind, metadata: { name, namespace } }: ClusterObject) {
  return { apiVersion, kind, metadata: { name, namespace } }
}

/** The status with which the server refused a call. */
function statusOf(error: unknown): number | null {
  const refused = z.looseObject({ code: z.int() }).safeParse(error)
  return refused.success ? refused.data.code : null
}
