import { type Bucket, type Draw, type Drawing, type Drawn, partsAfter, partsAt, waitMs } from './token-bucket.ts'

/** Maximum number of buckets. Beyond it the least recently used one is deleted, which makes it full. */
const maxBuckets = 20_000

/** Buckets of this process alone. */
export function createLocalBuckets(nowMs: () => number) {
  const buckets = new Map<string, Bucket>()

  function put({ key }: Draw, bucket: Bucket): void {
    buckets.delete(key) // so that the order of the map is that of use
    buckets.set(key, bucket)
    if (buckets.size <= maxBuckets) return
    const [oldest] = buckets.keys()
    if (oldest !== undefined) buckets.delete(oldest)
  }

  return {
    draw({ kind, draws }: Drawing): Drawn {
      const atMs = nowMs()
      const held = draws.map((draw) => ({ draw, parts: partsAt(buckets.get(draw.key), draw.limit, atMs) }))
      const wait = kind === 'take' ? Math.max(...held.map(({ draw, parts }) => waitMs(parts, draw))) : 0
      if (wait > 0) return { waitMs: wait, parts: held.map(({ parts }) => parts) }
      const after = held.map(({ draw, parts }) => partsAfter(parts, draw))
      for (const [index, draw] of draws.entries()) put(draw, { parts: after[index] ?? 0, atMs })
      return { waitMs: 0, parts: after }
    },
  }
}
