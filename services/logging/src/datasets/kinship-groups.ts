/**
 * Groups keys that occur in the same list, directly or through other lists. The returned function names a key's group.
 * Yields from time to time.
 */
export function* kinshipGroups(lists: Iterable<readonly string[]>): Generator<void, (key: string) => string> {
  const parents = new Map<string, string>()
  for (const [first, ...others] of lists) {
    if (first === undefined) continue
    for (const other of [first, ...others]) unite(parents, first, other)
    yield
  }
  return (key) => find(parents, key)
}

/** The smaller name becomes the root, so that the name of a group does not depend on the order. */
function unite(parents: Map<string, string>, a: string, b: string): void {
  const [rootA, rootB] = [find(parents, a), find(parents, b)]
  const [low, high] = rootA < rootB ? [rootA, rootB] : [rootB, rootA]
  parents.set(low, low)
  parents.set(high, low)
}

function find(parents: Map<string, string>, key: string): string {
  let root = key
  for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
    root = parent
  for (let at = key; at !== root; ) {
    const next = parents.get(at) ?? root
    parents.set(at, root)
    at = next
  }
  return root
}
