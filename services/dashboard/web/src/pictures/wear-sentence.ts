interface WearPoint {
  /** Earlier comparisons on the same prompts, in the mean. */
  readonly uses: number
  /** Lower bound of the win rate, 0..1; null when so many comparisons leave no proof. */
  readonly low: number | null
}

export interface WearFacts {
  /** The model that was compared with the baseline. */
  readonly model: string
  /** By number of earlier comparisons, ascending. */
  readonly points: readonly WearPoint[]
  /** Comparisons that were made before. */
  readonly uses: number
  readonly low: number | null
  readonly lowIfFresh: number | null
  /** Share of the prompts that is used up, 0..1. */
  readonly usedUp: number
  /** Win rate that is to be proven, 0..1. */
  readonly bar: number
}

/** A share to a tenth of a per cent: bounds near the bar differ by less than one. */
export function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** An average number of comparisons. */
export function usesText(uses: number): string {
  return String(Number(uses.toFixed(1)))
}

export function lowText(low: number | null): string {
  return low === null ? 'no bound' : shareText(low)
}

/** The picture as a sentence. */
export function wearSentence({ model, uses, low, lowIfFresh, usedUp, bar }: WearFacts): string {
  const times = uses === 1 ? '1 earlier comparison' : `${usesText(uses)} earlier comparisons`
  const state = isProof(low, bar) ? 'proven' : isProof(lowIfFresh, bar) ? 'used up' : 'not proven'
  const fresh = uses === 0 ? '' : `, ${lowText(lowIfFresh)} if the prompts were fresh`
  return `${model}: win rate from ${lowText(low)} after ${times}${fresh}; ${shareText(usedUp)} used up; bar ${shareText(bar)}: ${state}.`
}

function isProof(low: number | null, bar: number): boolean {
  return low !== null && low >= bar
}
