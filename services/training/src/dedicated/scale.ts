/** How an endpoint adapts to its requests. */
export interface ScaleRow {
  readonly minReplicas: number
  readonly maxReplicas: number
  /** Null: never. */
  readonly scaleToZeroAfterS: number | null
  readonly scaleUpWindowS: number
  readonly scaleDownWindowS: number
  readonly targetConcurrency: number
  /** Replicas that it should have. */
  readonly desired: number
  /** Since when there are more requests than these are for, or fewer; null when it is otherwise. */
  readonly busySince: Date | null
  readonly calmSince: Date | null
}

/** Requests at an endpoint now. */
export interface Traffic {
  readonly running: number
  /** Held until a replica is ready. */
  readonly waiting: number
  /** Of the clock of the database; null when there never was one. */
  readonly lastRequestAt: Date | null
  /** Share of the KV cache that is in use, on average of the replicas that are ready; null when engines do not say. */
  readonly cacheUsed: number | null
}

export type Scale = Pick<ScaleRow, 'desired' | 'busySince' | 'calmSince'>

/** Share of its KV cache from which on an engine makes requests wait. */
const fullCache = 0.9

/** Fewest replicas of an endpoint that is not scaled to zero. */
export function leastReplicas({ minReplicas }: Pick<ScaleRow, 'minReplicas'>): number {
  return Math.max(1, minReplicas)
}

/** The replicas that an endpoint should have now, and since when it should have more or fewer. */
export function scaleOf(row: ScaleRow, { running, waiting, cacheUsed }: Traffic, now: Date): Scale {
  const { maxReplicas, targetConcurrency, scaleUpWindowS, scaleDownWindowS } = row
  const least = leastReplicas(row)
  const desired = clamp(row.desired, least, maxReplicas)
  // Long prompts fill an engine before there are many requests.
  const fuller = cacheUsed !== null && cacheUsed >= fullCache ? desired + 1 : 0
  const needed = clamp(Math.max(Math.ceil((running + waiting) / targetConcurrency), fuller), least, maxReplicas)
  if (needed > desired)
    return scaleAfter({ desired, needed, since: row.busySince, windowS: scaleUpWindowS, now }, 'busySince')
  if (needed < desired) {
    return scaleAfter({ desired, needed, since: row.calmSince, windowS: scaleDownWindowS, now }, 'calmSince')
  }
  return { desired, busySince: null, calmSince: null }
}

interface Change {
  readonly desired: number
  readonly needed: number
  readonly since: Date | null
  readonly windowS: number
  readonly now: Date
}

function scaleAfter({ desired, needed, since, windowS, now }: Change, counted: 'busySince' | 'calmSince'): Scale {
  const start = since ?? now
  const isOver = now.getTime() - start.getTime() >= windowS * 1_000
  const times = { busySince: null, calmSince: null, [counted]: isOver ? null : start }
  return { desired: isOver ? needed : desired, ...times }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most))
}

/** Whether nobody has asked for so long that all replicas may end. */
export function isIdle(
  { minReplicas, scaleToZeroAfterS }: Pick<ScaleRow, 'minReplicas' | 'scaleToZeroAfterS'>,
  { running, waiting, lastRequestAt }: Traffic,
  { now, since }: { readonly now: Date; readonly since: Date },
): boolean {
  if (minReplicas > 0 || scaleToZeroAfterS === null || running + waiting > 0) return false
  const last = Math.max(since.getTime(), lastRequestAt?.getTime() ?? 0)
  return now.getTime() - last >= scaleToZeroAfterS * 1_000
}
