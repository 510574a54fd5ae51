/** Which answers are read, and in which order. */
export interface RolloutSearch {
  readonly kind?: string
  readonly sort?: string
  readonly step?: string
  /** The place in the list, from 1. */
  readonly n?: string
}

export const rolloutSorts = [
  { value: '-reward', label: 'Best' },
  { value: 'reward', label: 'Worst' },
  { value: 'disagreement', label: 'Disagreement' },
  { value: 'step', label: 'In order' },
] as const

export const rolloutKinds = [
  { value: 'step', label: 'Of steps' },
  { value: 'look', label: 'Of looks' },
] as const

/** The query of one answer. Only answers of looks are judged by the hold-out judge, so others have no disagreement. */
export function rolloutQuery({ kind, sort = '-reward', step }: RolloutSearch) {
  const shown = sort === 'disagreement' ? 'look' : (kind ?? 'step')
  return { kind: shown, sort, ...(step === undefined ? {} : { step }) }
}

/** The place in the list: a whole number from 1. */
export function placeOf({ n = '1' }: RolloutSearch): number {
  return /^[1-9]\d{0,4}$/.test(n) ? Number(n) : 1
}
