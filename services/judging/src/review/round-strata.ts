import type { Verdict } from '@ratchet/contracts/criteria'

/** What is known of an item of a round before people grade it. */
export interface KnownItem {
  readonly verdict: Verdict
  /** The verdict of the challenger; null where it gave none, or there is no challenger. */
  readonly challenger: Verdict | null
  /** Third of the risk, from 0 for the lowest; only without a challenger. */
  readonly risk: 0 | 1 | 2
}

/** The name of a stratum. It begins with the judge's verdict, as all strata of judged exchanges do. */
export function roundStratum({ verdict, challenger, risk }: KnownItem, hasChallenger: boolean): string {
  const second = hasChallenger ? `challenger_${challenger ?? 'none'}` : `risk_${risk}`
  return `judged_${verdict}_${second}`
}

/** What costs nothing and tells something about errors. */
export interface RiskSigns {
  /** Verdicts that other judges of the workspace gave about the exchange. */
  readonly otherVerdicts: readonly Verdict[]
  /** Of the prompt of the judge. */
  readonly tokens: number
  /** Whether users disagree with the verdict. */
  readonly isContradicted: boolean
}

/** The third of each item by its risk, in the order of the items. Equal risks are split by their place. */
export function riskThirds(items: readonly RiskSigns[]): readonly KnownItem['risk'][] {
  const lengths = items.map(({ tokens }) => tokens).toSorted((one, other) => one - other)
  const placeOf = new Map(lengths.map((tokens, place) => [tokens, place]))
  const scored = items.map((item, index) => {
    const length = (placeOf.get(item.tokens) ?? 0) / Math.max(1, items.length - 1)
    return { index, score: scoreOf(item) + Math.abs(length - 0.5) }
  })
  const thirds: KnownItem['risk'][] = items.map(() => 0)
  scored
    .toSorted((one, other) => one.score - other.score || one.index - other.index)
    .forEach(({ index }, place) => {
      thirds[index] = Math.floor((place * 3) / items.length) as KnownItem['risk']
    })
  return thirds
}

/** Users who disagree are the strongest sign, then other judges; without them, unusual lengths are. */
function scoreOf({ otherVerdicts, isContradicted }: RiskSigns): number {
  if (isContradicted) return 3
  const fails = otherVerdicts.filter((verdict) => verdict === 'fail').length
  return otherVerdicts.length === 0 ? 0 : (2 * fails) / otherVerdicts.length
}
