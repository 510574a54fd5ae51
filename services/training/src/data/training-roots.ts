/** Bytes of a root. With 100,000 conversations, one in 10^14 others has the root of one of them. */
const rootBytes = 8
/** Roots of a step, which takes a few milliseconds. */
const stepLength = 5_000

/**
 * The conversations of some examples in few bytes, without repetitions and in ascending order.
 *
 * @param rootKeys SHA-256 in base64
 */
export function* packRoots(rootKeys: Iterable<string>): Generator<void, Buffer> {
  const distinct = new Set<string>()
  let read = 0
  for (const key of rootKeys) {
    distinct.add(rootOf(key))
    read += 1
    if (read % stepLength === 0) yield
  }
  return packed(distinct)
}

/** The same at once, for some thousand conversations. */
export function rootsOf(rootKeys: readonly string[]): Buffer {
  return packed(new Set(rootKeys.map(rootOf)))
}

function packed(distinct: ReadonlySet<string>): Buffer {
  return Buffer.from([...distinct].sort().join(''), 'hex')
}

/** Which of some conversations are among packed ones. @param all of several holders */
export function knownRoots(all: readonly Buffer[], rootKeys: readonly string[]): readonly string[] {
  return rootKeys.filter((key) => all.some((roots) => hasRoot(roots, Buffer.from(rootOf(key), 'hex'))))
}

function rootOf(key: string): string {
  return Buffer.from(key, 'base64').toString('hex', 0, rootBytes)
}

function hasRoot(roots: Buffer, root: Buffer): boolean {
  let [from, to] = [0, roots.length / rootBytes]
  while (from < to) {
    const middle = (from + to) >> 1
    const order = roots.compare(root, 0, rootBytes, middle * rootBytes, (middle + 1) * rootBytes)
    if (order === 0) return true
    if (order < 0) from = middle + 1
    else to = middle
  }
  return false
}
