/** Token counts of one reply, independent of the surface. */
export interface TokenCounts {
  prompt: number
  completion: number
  cached: number
  reasoning: number
}
