import { type KubeObject, ofKind } from '../kube-object.ts'

/** One hand on each number of replicas: an autoscaler, or KEDA, or the manifest itself. */
export function scalingProblems(objects: readonly KubeObject[]): readonly string[] {
  const scalers = new Map<string, string[]>()
  const note = (target: string, scaler: string) => scalers.set(target, [...(scalers.get(target) ?? []), scaler])
  for (const { metadata, spec } of ofKind(objects, 'HorizontalPodAutoscaler'))
    note(spec?.scaleTargetRef.name ?? '', `autoscaler ${metadata.name}`)
  for (const { metadata, spec } of ofKind(objects, 'ScaledObject'))
    note(spec?.scaleTargetRef.name ?? '', `scaled object ${metadata.name}`)
  const replicas = new Map(ofKind(objects, 'Deployment').map(({ metadata, spec }) => [metadata.name, spec?.replicas]))
  return [...scalers].flatMap(([target, hands]) => [
    ...(replicas.has(target) ? [] : [`${hands.join(' and ')} scale ${target}, which is no Deployment`]),
    ...(hands.length === 1 ? [] : [`${hands.join(' and ')} both scale ${target}`]),
    ...(replicas.get(target) === undefined ? [] : [`${target} has replicas of its own beside ${hands.join(' and ')}`]),
  ])
}
