import type { EvalPanel } from '@ratchet/contracts/eval-panel'
import { categoryKappa } from '@ratchet/stats/category-kappa'
import { isConsistent, type JudgedPair, type PairOutcome, pairOutcome } from '../judging/pair-verdict.ts'
import { isDisputed } from '../judging/panel-pair.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'

const outcomes = ['win', 'tie', 'loss'] as const

/**
 * What each judge of a panel says about the candidate at this place, and how far they agree.
 *
 * @param judges models of the judges
 * @returns null for a single judge
 */
export function panelOf(
  samples: readonly MeasuredSample[],
  place: number,
  judges: readonly string[],
): EvalPanel | null {
  if (judges.length < 2) return null
  const pairs = samples.flatMap(({ judgePairs }) => judgePairs?.[place] ?? [])
  const bySample = samples.flatMap(({ judgePairs }) => {
    const own = judgePairs?.[place]
    return own === undefined ? [] : [own]
  })
  if (pairs.length === 0) return null
  return {
    judges: judges.map((model, index) => ({ model, ...figuresOf(bySample.flatMap((own) => own[index] ?? [])) })),
    agreements: judges.flatMap((one, first) =>
      judges.slice(first + 1).map((other, offset) => ({
        judges: [one, other],
        ...agreementOf(bySample, first, first + 1 + offset),
      })),
    ),
    disputed: bySample.filter(isDisputed).length,
  }
}

function figuresOf(pairs: readonly JudgedPair[]) {
  const results = pairs.map(pairOutcome)
  const count = (outcome: PairOutcome) => results.filter((each) => each === outcome).length
  const preferences = pairs.flatMap((pair) => (pair.kind === 'judged' ? [pair.preferences] : []))
  return {
    wins: count('win'),
    ties: count('tie'),
    losses: count('loss'),
    unjudged: count('error'),
    consistency_rate: preferences.length === 0 ? null : preferences.filter(isConsistent).length / preferences.length,
  }
}

function agreementOf(bySample: readonly (readonly JudgedPair[])[], first: number, second: number) {
  const both = bySample.flatMap((own) => {
    const [one, other] = [own[first], own[second]]
    return one?.kind === 'judged' && other?.kind === 'judged' ? [[pairOutcome(one), pairOutcome(other)] as const] : []
  })
  const table = outcomes.map((row) =>
    outcomes.map((column) => both.filter(([one, other]) => one === row && other === column).length),
  )
  const agreed = both.filter(([one, other]) => one === other).length
  return {
    samples: both.length,
    agreement: both.length === 0 ? null : agreed / both.length,
    kappa: categoryKappa(table),
  }
}
