import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import { type KubeObject, ofKind } from './kube-object.ts'

/** Source of a variable's value; `value` is absent when only the cluster knows it. */
export interface Variable {
  readonly value?: string
  readonly secret?: { readonly name: string; readonly key: string }
}

/** Environment variables of a pod's first container, by name. The contents of whole Secrets are unknown. */
export function environmentOf(pod: IPodSpec, objects: readonly KubeObject[]): ReadonlyMap<string, Variable> {
  const [container] = pod.containers
  const maps = new Map(ofKind(objects, 'ConfigMap').map(({ metadata, data = {} }) => [metadata.name, data]))
  const found = new Map<string, Variable>()
  for (const { configMapRef } of container?.envFrom ?? []) {
    const data = maps.get(configMapRef?.name ?? '') ?? {}
    for (const [name, value] of Object.entries(data)) found.set(name, { value })
  }
  for (const { name, value, valueFrom } of container?.env ?? []) {
    const { name: secret, key } = valueFrom?.secretKeyRef ?? {}
    const isSecret = secret !== undefined && key !== undefined
    const { name: map, key: setting } = valueFrom?.configMapKeyRef ?? {}
    const set = maps.get(map ?? '')?.[setting ?? '']
    found.set(name, isSecret ? { secret: { name: secret, key } } : { value: set ?? value ?? '' })
  }
  return found
}
