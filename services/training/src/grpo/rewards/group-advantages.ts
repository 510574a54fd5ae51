import type { GrpoTrainerHyperparameters } from '@ratchet/contracts/grpo-spec'

/** Keeps advantages finite; as TRL has it. */
const epsilon = 1e-4

/**
 * Advantages of the answers to one prompt: how much better each is than their mean, in deviations, which Dr. GRPO does not
 * divide by. They do not change when all rewards are multiplied or moved, so a judge's known error rates do not change them.
 */
export function groupAdvantages(
  rewards: readonly number[],
  loss: GrpoTrainerHyperparameters['loss_method'],
): readonly number[] {
  const average = mean(rewards)
  const deviation = deviationOf(rewards)
  return rewards.map((reward) => (loss === 'dr_grpo' ? reward - average : (reward - average) / (deviation + epsilon)))
}

/** Whether all answers have the same reward, so that nothing can be learned from them. */
export function hasNoVariance(rewards: readonly number[]): boolean {
  return rewards.every((reward) => Math.abs(reward - (rewards[0] ?? 0)) < 1e-9)
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Standard deviation of these very values. */
export function deviationOf(values: readonly number[]): number {
  const average = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - average) ** 2)))
}
