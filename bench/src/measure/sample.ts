import { median } from './percentile.ts'

/** One measured value. */
export interface Sample {
  readonly target: string
  readonly figure: string
  /** From 1. */
  readonly round: number
  readonly value: number
}

export interface Summary {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** Median and spread over the rounds; null when it was not measured. */
export function summarize(samples: readonly Sample[], target: string, figure: string): Summary | null {
  const values = samples.filter((sample) => sample.target === target && sample.figure === figure).map(valueIn)
  if (values.length === 0) return null
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

/**
 * The ratio of a figure of two targets: the median of the ratios of each round, because a disturbance of the machine
 * affects all targets of a round. Null when one of the figures was not measured or is not above zero.
 */
export function ratio(
  samples: readonly Sample[],
  { figure, target, to }: { figure: string; target: string; to: string },
): number | null {
  const of = (name: string, round: number) =>
    samples.find((sample) => sample.target === name && sample.figure === figure && sample.round === round)?.value
  const rounds = new Set(samples.map(({ round }) => round))
  const ratios = [...rounds].flatMap((round) => {
    const [above, below] = [of(target, round), of(to, round)]
    return above !== undefined && below !== undefined && above > 0 && below > 0 ? [above / below] : []
  })
  return ratios.length === 0 ? null : median(ratios)
}

function valueIn({ value }: Sample): number {
  return value
}
