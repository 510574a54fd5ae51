import type { KubeObject } from './kube-object.ts'

/**
 * Returns copies of the objects, with one field of one object changed.
 *
 * @param target `Kind/name`
 * @param at path of the field, such as `spec.ports.0.port`
 * @param value the new value; undefined removes the field
 * @throws RangeError when the object or the path does not exist
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
