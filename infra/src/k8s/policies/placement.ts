import type { KubeObject } from '../kube-object.ts'

const fleetNamespace = 'ratchet'
/** Kinds that are in no namespace. */
const clusterWide = ['Namespace', 'PriorityClass']

/** Everything is in the one namespace that the policies of the network are about, and nothing is there twice. */
export function placementProblems(objects: readonly KubeObject[]): readonly string[] {
  const ids = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  return [
    ...objects.flatMap(({ kind, metadata: { name, namespace } }) =>
      clusterWide.includes(kind) || namespace === fleetNamespace
        ? []
        : [`${kind} ${name} is in ${namespace ?? 'no namespace'}`],
    ),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is there twice`),
  ]
}
