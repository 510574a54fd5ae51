import { type KubeObject, ofKind } from '../kube-object.ts'

/** Each replica count has one owner: an autoscaler, KEDA, or the manifest itself. */
export function scalingProblems(objects: readonly KubeObject[]): readonly string[] {
  const scalers = new Map<string, string[]>()
  const note = (target: string, scaler: string) => scalers.set(target, [...(scalers.get(target) ?? []), scaler])
  for (const { metadata, spec } of ofKind(objects, 'HorizontalPodAutoscaler'))
    note(spec?.scaleTargetRef.name ?? '', `autoscaler ${metadata.name}`)
  for (const { metadata, spec } of ofKind(objects, 'ScaledObject'))
    note(spec?.scaleTargetRef.name ?? '', `scaled object ${metadata.name}`)
  const replicas = new Map(ofKind(objects, 'Deployment').map(({ metadata, spec }) => [metadata.name, spec?.replicas]))
  return [...scalers].flatMap(([target, owners]) => [
    ...(replicas.has(target) ? [] : [`${owners.join(' and ')} scale ${target}, which is not a Deployment`]),
    ...(owners.length === 1 ? [] : [`${owners.join(' and ')} both scale ${target}`]),
    ...(replicas.get(target) === undefined
      ? []
      : [`${target} sets replicas although it is scaled by ${owners.join(' and ')}`]),
  ])
}
