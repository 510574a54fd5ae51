/** A checkpoint that can be served, with what its look found; null for one that was not judged. */
export interface LookedCheckpoint {
  readonly step: number
  readonly holdoutRate: number | null
  readonly rewardMean: number | null
}

/**
 * The result of a run: the checkpoint that the hold-out judge likes best, because the reward is what was optimised; without such
 * a judge the one with the highest reward; without any look the last one. The earlier one of equals.
 */
export function bestCheckpoint(checkpoints: readonly LookedCheckpoint[]): LookedCheckpoint | null {
  const byHoldout = highest(checkpoints, ({ holdoutRate }) => holdoutRate)
  return byHoldout ?? highest(checkpoints, ({ rewardMean }) => rewardMean) ?? checkpoints.at(-1) ?? null
}

function highest(
  checkpoints: readonly LookedCheckpoint[],
  measure: (checkpoint: LookedCheckpoint) => number | null,
): LookedCheckpoint | null {
  let best: LookedCheckpoint | null = null
  for (const checkpoint of checkpoints) {
    const value = measure(checkpoint)
    if (value === null) continue
    if (best === null || value > (measure(best) ?? 0)) best = checkpoint
  }
  return best
}
