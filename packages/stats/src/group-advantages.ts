import { requireEach, requireFinite, requirePositive } from './require-arguments.ts'

/**
 * The advantage of each answer over its group, for group-relative policy optimisation: (r − mean)/(sd + ε) with the
 * population sd. A group of equal rewards gives zeros.
 *
 * @param rewards of one group, in any unit
 * @param options.scale `sd` (default), or `none` for the variant of Dr. GRPO
 * @param options.epsilon > 0; 0.0001 when absent
 * @returns one number for each reward
 * @throws RangeError when a reward is not finite
 * @see Shao et al. 2024, arXiv:2402.03300; Liu et al. 2025, arXiv:2503.20783 for Dr. GRPO
 * @example groupAdvantages([1, 0, 0, 1]) // [0.9998, -0.9998, -0.9998, 0.9998]
 */
export function groupAdvantages(
  rewards: readonly number[],
  { scale = 'sd', epsilon = 1e-4 }: { readonly scale?: 'sd' | 'none'; readonly epsilon?: number } = {},
): number[] {
  requireEach('rewards', rewards, requireFinite)
  requirePositive('epsilon', epsilon)
  // Exact zeros: the mean of equal rewards may have a rounding error, which the division would enlarge.
  if (rewards.every((reward) => reward === rewards[0])) return rewards.map(() => 0)
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length
  const divisor = scale === 'none' ? 1 : Math.sqrt(variance) + epsilon
  return rewards.map((reward) => (reward - mean) / divisor)
}
