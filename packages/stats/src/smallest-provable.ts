import { Z_95 } from './interval.ts'

/**
 * The smallest distance of a win rate from 0.5 that a number of judged samples without ties can prove: where the Wilson interval
 * ends at 0.5.
 *
 * @param judged samples of distinct prompts; a whole number, 0 or more
 * @returns 0 to 0.5
 */
export function smallestProvable(judged: number): number {
  return judged === 0 ? 0.5 : Math.min(0.5, Z_95 / (2 * Math.sqrt(judged)))
}
