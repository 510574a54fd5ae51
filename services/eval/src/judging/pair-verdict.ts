/** The answer that a judge prefers, by the position in which it was shown. */
export type Preference = 'first' | 'second' | 'tie'

/**
 * Why there is no preference: the verdict was unreadable, the prompt too large, or the judge refused. An `unfinished`
 * verdict was billed once without a readable winner, and the judge still has to be called again.
 */
export type VerdictFailure = 'unparseable' | 'too_large' | 'refused' | 'unfinished'

/** The judge's verdict on the baseline and one candidate, in one order. */
export interface PairVerdict {
  /** Place in the panel; the first judge when absent. */
  readonly judgeIndex?: number
  readonly candidateIndex: number
  /** Whether the candidate was shown first. */
  readonly isSwapped: boolean
  readonly preference: Preference | null
  /** Null exactly when there is a preference. */
  readonly failure: VerdictFailure | null
  readonly explanation: string | null
  readonly costNano: bigint
}

/** The judge's verdicts on the baseline and one candidate, in both orders. */
export type JudgedPair =
  | {
      readonly kind: 'judged'
      /** First the verdict with the baseline shown first, then the one with the candidate shown first. */
      readonly preferences: readonly [Preference, Preference]
      /** The preferences of each judge, when several were combined. */
      readonly ofJudges?: readonly (readonly [Preference, Preference])[]
    }
  /** At least one order has no readable verdict, even after a second try. */
  | { readonly kind: 'unparseable' }
  /** One of the two gave no answer, or the judge refused. */
  | { readonly kind: 'unjudged' }

export type PairOutcome = 'win' | 'loss' | 'tie' | 'error'

/** Combines the stored verdicts on one candidate. */
export function judgedPairOf(verdicts: readonly PairVerdict[], candidateIndex: number): JudgedPair {
  const own = verdicts.filter((verdict) => verdict.candidateIndex === candidateIndex)
  const plain = own.find(({ isSwapped }) => !isSwapped)
  const swapped = own.find(({ isSwapped }) => isSwapped)
  if (plain?.preference != null && swapped?.preference != null) {
    return { kind: 'judged', preferences: [plain.preference, swapped.preference] }
  }
  const wasUnparseable = own.some(({ failure }) => failure === 'unparseable')
  const failedOtherwise = own.some(({ failure }) => failure !== null && failure !== 'unparseable')
  return { kind: wasUnparseable && !failedOtherwise ? 'unparseable' : 'unjudged' }
}

/** The candidate wins or loses only when both orders agree. Any other judged pair is a tie. */
export function pairOutcome(pair: JudgedPair): PairOutcome {
  if (pair.kind !== 'judged') return 'error'
  const [one, other] = pair.preferences
  if (one === 'second' && other === 'first') return 'win'
  return one === 'first' && other === 'second' ? 'loss' : 'tie'
}

/** Whether both orders prefer the same answer, or both are ties. */
export function isConsistent([one, other]: readonly [Preference, Preference]): boolean {
  return one === 'tie' ? other === 'tie' : other !== 'tie' && one !== other
}
