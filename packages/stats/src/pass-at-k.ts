import { requireCounts, requirePart } from './require-arguments.ts'

/**
 * The probability that at least one of k answers passes, estimated from n ≥ k answers: 1 − C(n − c, k)/C(n, k).
 *
 * @param answers n, the number of answers
 * @param passed c, 0..n
 * @param k 1..n
 * @returns 0..1
 * @throws RangeError when an argument is out of range
 * @see Chen et al. 2021, arXiv:2107.03374
 * @example passAtK({ answers: 10, passed: 3, k: 5 }) // 0.9167
 */
export function passAtK(counts: { readonly answers: number; readonly passed: number; readonly k: number }): number {
  const { answers, passed, k } = counts
  requireCounts({ answers, passed, k })
  requirePart({ passed }, answers)
  if (k < 1 || k > answers) throw new RangeError(`k must be in 1..${answers}, got ${k}`)
  let allFail = 1
  for (let drawn = 0; drawn < k; drawn += 1) allFail *= Math.max(0, answers - passed - drawn) / (answers - drawn)
  return 1 - allFail
}
