export interface GuardPoint {
  /** As text. */
  readonly time: string
  readonly estimate: number
  readonly low: number
  /** Null: it has no upper bound yet. */
  readonly high: number | null
}

export interface GuardFacts {
  /** What is limited, such as `More errors`. */
  readonly title: string
  readonly looks: readonly GuardPoint[]
  readonly limit: number
  readonly isBreached: boolean
  readonly format: (value: number) => string
}

/** The picture as a sentence. */
export function guardSentence({ title, looks, limit, isBreached, format }: GuardFacts): string {
  const last = looks.at(-1)
  if (last === undefined) return `${title}: not measured yet; limit ${format(limit)}.`
  const high = last.high === null ? 'no upper bound' : format(last.high)
  const verdict = isBreached ? 'breached' : 'not breached'
  return `${title} ${format(last.estimate)}, from ${format(last.low)} to ${high} at every evaluation; limit ${format(limit)}: ${verdict}.`
}
