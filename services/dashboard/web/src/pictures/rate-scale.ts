/** How far rates are drawn apart near 1. With this number the part from 0.9 to 1 has a third of the width. */
const stretch = 0.84

/** Marks on the axis of rates. */
export const rateTicks = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1] as const

/**
 * Where a rate stands on an axis from 0.5 to 1, between 0 and 1. The scale is a logit, so that the difference between 0.95 and 0.99,
 * which decides, can be seen. Rates below 0.5 stand at 0.
 */
export function ratePosition(rate: number): number {
  return logitOf(Math.min(1, Math.max(0.5, rate))) / logitOf(1)
}

function logitOf(rate: number): number {
  const inner = 0.5 + (rate - 0.5) * stretch
  return Math.log(inner / (1 - inner))
}
