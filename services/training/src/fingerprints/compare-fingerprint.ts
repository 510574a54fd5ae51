/** What a model answered to a probe, greedily. */
export interface ProbeAnswer {
  readonly tokenIds: readonly number[]
  /** Natural logarithms, one per token. */
  readonly logprobs: readonly number[]
}

export interface Compared {
  /** What the trainer's model answered. */
  readonly expected: readonly ProbeAnswer[]
  /** What an engine answers for the version. */
  readonly answered: readonly ProbeAnswer[]
  /** What the same engine answers for the base model. */
  readonly base: readonly ProbeAnswer[]
}

/** `base`: the engine answers as its base model, so the adapter is not there. `different`: another model answers. */
export type Comparison = 'same' | 'base' | 'different'

/** Share of the probes whose tokens must be equal: an engine of another precision may choose another word now and then. */
const minEqualShare = 0.75
/** Largest mean difference of the logarithms, on tokens that are equal up to there. */
const maxMeanGap = 0.05
/** Two answers of one engine that differ less are the same. */
const sameGap = 1e-6

/**
 * Whether an engine serves a version: its greedy answers to the probes are those of the trainer, and not those of the base.
 * Engines round differently, and the one of a trainer is none of those that serve, so a few words may differ.
 */
export function compareFingerprint({ expected, answered, base }: Compared): Comparison {
  if (isSame(answered, base)) return 'base'
  const pairs = pairsOf(expected, answered)
  const equal = pairs.filter(
    ([one, other]) => equalPrefix(one, other) === Math.max(one.tokenIds.length, other.tokenIds.length),
  )
  if (pairs.length === 0 || equal.length < Math.ceil(minEqualShare * expected.length)) return 'different'
  const gaps = pairs.flatMap(([one, other]) => gapsOf(one, other))
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, gaps.length)
  return mean <= maxMeanGap ? 'same' : 'different'
}

function isSame(some: readonly ProbeAnswer[], others: readonly ProbeAnswer[]): boolean {
  if (some.length !== others.length) return false
  return pairsOf(some, others).every(([one, other]) => {
    const length = Math.max(one.tokenIds.length, other.tokenIds.length)
    return equalPrefix(one, other) === length && gapsOf(one, other).every((gap) => gap <= sameGap)
  })
}

type Pair = readonly [ProbeAnswer, ProbeAnswer]

const none: ProbeAnswer = { tokenIds: [], logprobs: [] }

function pairsOf(some: readonly ProbeAnswer[], others: readonly ProbeAnswer[]): readonly Pair[] {
  return some.map((one, index) => [one, others[index] ?? none])
}

/** Number of tokens at the beginning that are equal. */
function equalPrefix({ tokenIds: one }: ProbeAnswer, { tokenIds: other }: ProbeAnswer): number {
  const length = Math.min(one.length, other.length)
  const at = one.slice(0, length).findIndex((token, index) => token !== other[index])
  return at === -1 ? length : at
}

function gapsOf(one: ProbeAnswer, other: ProbeAnswer): readonly number[] {
  const count = equalPrefix(one, other)
  return one.logprobs.slice(0, count).map((logprob, index) => {
    const gap = Math.abs(logprob - (other.logprobs[index] ?? Number.POSITIVE_INFINITY))
    return Number.isNaN(gap) ? Number.POSITIVE_INFINITY : gap
  })
}
