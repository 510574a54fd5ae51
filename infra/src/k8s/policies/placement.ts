import type { KubeObject } from '../kube-object.ts'

const fleetNamespace = 'ratchet'
/** Kinds without a namespace. */
const clusterWide = ['Namespace', 'PriorityClass']

/** Checks that every object is in the fleet's namespace, which the network policies cover, and is defined once. */
export function placementProblems(objects: readonly KubeObject[]): readonly string[] {
  const ids = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  return [
    ...objects.flatMap(({ kind, metadata: { name, namespace } }) =>
      clusterWide.includes(kind) || namespace === fleetNamespace
        ? []
        : [`${kind} ${name} is in ${namespace ?? 'no namespace'}`],
    ),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is defined twice`),
  ]
}
