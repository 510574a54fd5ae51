import type { KubeObject } from './kube-object.ts'

/**
 * Copies of the objects, with one field of one of them changed.
 *
 * @param target `Kind/name`
 * @param at the way to the field, such as `spec.ports.0.port`
 * @param value what is put there; undefined takes the field away
 * @throws RangeError when there is no such object, or no such way
 */
export function setField(
  objects: readonly KubeObject[],
  target: string,
  at: string,
  value: unknown,
): readonly KubeObject[] {
  const copies = structuredClone(objects)
  const found = copies.find(({ kind, metadata }) => `${kind}/${metadata.name}` === target)
  if (found === undefined) throw new RangeError(`there is no ${target}`)
  const steps = at.split('.')
  const last = steps.pop() ?? ''
  const holder = steps.reduce<unknown>((inside, step) => fieldOf(inside, step), found)
  if (typeof holder !== 'object' || holder === null) throw new RangeError(`${target} has nothing at ${at}`)
  if (value === undefined) Reflect.deleteProperty(holder, last)
  else Reflect.set(holder, last, value)
  return copies
}

function fieldOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) throw new RangeError(`there is no ${field}`)
  return Reflect.get(value, field)
}
