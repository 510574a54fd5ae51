/** What became of one sample, as far as a report counts it. */
export interface MeasuredSample {
  readonly id: string
  /** Samples of one prompt or of one agent run go together: they are not independent. */
  readonly cluster: string
  /** Of an agent run's step; null for other prompts. */
  readonly traceId: string | null
  /** The baseline's, then one for each candidate in their order; null for a model that was not asked, or not to the end. */
  readonly answers: readonly (MeasuredAnswer | null)[]
  /** One for each candidate, in their order; empty for a sample that could not be done to its end. */
  readonly pairs: readonly JudgedPair[]
}

export interface MeasuredAnswer {
  /** Whether the model gave an answer. */
  readonly isAnswered: boolean
  /** As billed, nano-dollars; failed answers cost nothing. Null for a stored answer whose cost nobody knows. */
  readonly costNano: bigint | null
  /** From the question to the end of the answer, milliseconds; null where nobody knows. */
  readonly latencyMs: number | null
  /** By the assertion's name; empty without an answer. */
  readonly assertions: Readonly<Record<string, boolean>>
}

/** What a judge preferred of two answers, by where they stood. */
export type Preference = 'first' | 'second' | 'tie'

/** The judge's looks at the baseline and one candidate. */
export type JudgedPair =
  | {
      readonly kind: 'judged'
      /** The first look shows the baseline first, the second look the candidate. */
      readonly looks: readonly [Preference, Preference]
    }
  /** No verdict in one of the orders, also after a second try. */
  | { readonly kind: 'unparseable' }
  /** No answer of one of the two, or the judge could not be asked. */
  | { readonly kind: 'unjudged' }

export type PairOutcome = 'win' | 'loss' | 'tie' | 'error'

/** What a pair counts as for the candidate: won or lost in both orders; anything else that was judged is a tie. */
export function outcomeOf(pair: JudgedPair): PairOutcome {
  if (pair.kind !== 'judged') return 'error'
  const [one, other] = pair.looks
  if (one === 'second' && other === 'first') return 'win'
  return one === 'first' && other === 'second' ? 'loss' : 'tie'
}

/** Whether both looks say the same of the two answers. */
export function isConsistent([one, other]: readonly [Preference, Preference]): boolean {
  return one === 'tie' ? other === 'tie' : other !== 'tie' && one !== other
}
