import type { Attributes } from './any-value.ts'

/** A node of a structure that was spread over attributes: its value, its members by name, or both. */
export interface Node {
  value?: unknown
  readonly members: Map<string, Node>
}

const maxSegments = 16

/**
 * Rebuilds a structure from attributes such as `prefix.0.content`. Names of more than 16 parts are skipped.
 */
export function unflatten(attributes: Attributes, prefix: string): Node {
  const root: Node = { members: new Map() }
  for (const [key, value] of attributes) {
    if (!key.startsWith(`${prefix}.`)) continue
    const segments = key.slice(prefix.length + 1).split('.')
    if (segments.length <= maxSegments) place(root, segments, value)
  }
  return root
}

function place(root: Node, segments: readonly string[], value: unknown): void {
  let node = root
  for (const segment of segments) {
    const known = node.members.get(segment)
    const next = known ?? { members: new Map() }
    if (known === undefined) node.members.set(segment, next)
    node = next
  }
  node.value = value
}

/** The members with numeric names, in the order of the numbers. */
export function listOf(node: Node | null): readonly Node[] {
  if (node === null) return []
  return [...node.members]
    .filter(([name]) => /^\d{1,6}$/.test(name))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, member]) => member)
}

/** The node at a path, null where there is none. */
export function nodeAt(node: Node, ...path: readonly string[]): Node | null {
  let at: Node | undefined = node
  for (const segment of path) at = at?.members.get(segment)
  return at ?? null
}
