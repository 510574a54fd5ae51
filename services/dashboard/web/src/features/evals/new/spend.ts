import { addMoney, microOfUsd } from '../../../kit/money.ts'

/** Micro-dollars of answers and judging together. */
export function estimateOf({
  estimated_cost_usd: answers,
  judge_cost_usd: judging,
}: {
  readonly estimated_cost_usd: number
  readonly judge_cost_usd: number
}): string {
  return addMoney([microOfUsd(answers), microOfUsd(judging)])
}

const microPerDollar = 1_000_000n

/**
 * The highest cost that is proposed, in dollars with as many digits as it needs: a fifth above the estimate, and the most that one
 * call can cost, because a call starts only while that much is left.
 */
export function proposedCap(estimateMicro: string, longestCallMicro: string): string {
  const micro = (BigInt(estimateMicro) * 12n + 9n) / 10n + BigInt(longestCallMicro)
  const least = micro === 0n ? 1n : micro
  const fraction = (least % microPerDollar).toString().padStart(6, '0').replace(/0+$/, '').padEnd(2, '0')
  return `${least / microPerDollar}.${fraction}`
}

/** Whether nano-dollars of a wallet cover micro-dollars of an estimate. */
export function covers(availableNano: string, estimateMicro: string): boolean {
  return BigInt(availableNano) >= BigInt(estimateMicro) * 1_000n
}
