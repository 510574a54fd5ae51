import { type JudgedPair, judgedPairOf, type PairVerdict, type Preference, pairOutcome } from './pair-verdict.ts'

/** The pair of each judge of a panel, for one candidate. */
export function pairsOfJudges(
  verdicts: readonly PairVerdict[],
  { candidateIndex, judges }: { readonly candidateIndex: number; readonly judges: number },
): readonly JudgedPair[] {
  return Array.from({ length: judges }, (_, judge) =>
    judgedPairOf(
      verdicts.filter(({ judgeIndex = 0 }) => judgeIndex === judge),
      candidateIndex,
    ),
  )
}

const preferencesFor = {
  win: ['second', 'first'],
  loss: ['first', 'second'],
  tie: ['tie', 'tie'],
} as const satisfies Readonly<Record<string, readonly [Preference, Preference]>>

/**
 * Combines the judges of a panel: the outcome that more than half of all judges gave, otherwise a tie. Without verdicts of
 * more than half of them, the pair is not judged.
 */
export function combinePanel(pairs: readonly JudgedPair[]): JudgedPair {
  const [only] = pairs
  if (only !== undefined && pairs.length === 1) return only
  const judged = pairs.flatMap((pair) => (pair.kind === 'judged' ? [pair.preferences] : []))
  const majority = pairs.length / 2
  if (judged.length <= majority) {
    const areUnparseable = pairs.every(({ kind }) => kind !== 'unjudged')
    return { kind: areUnparseable ? 'unparseable' : 'unjudged' }
  }
  const outcomes = pairs.map(pairOutcome)
  const chosen = (['win', 'loss', 'tie'] as const).find(
    (outcome) => outcomes.filter((each) => each === outcome).length > majority,
  )
  return { kind: 'judged', preferences: preferencesFor[chosen ?? 'tie'], ofJudges: judged }
}

/** Whether the judges that gave a verdict differ about the outcome. */
export function isDisputed(pairs: readonly JudgedPair[]): boolean {
  return new Set(pairs.filter(({ kind }) => kind === 'judged').map(pairOutcome)).size > 1
}
