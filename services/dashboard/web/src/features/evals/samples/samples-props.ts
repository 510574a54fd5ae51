import type { Eval } from '@ratchet/contracts/evals'

/** What both ways to read samples get. */
export interface SamplesProps {
  readonly each: Eval
  readonly candidate: string
  /** From 1. */
  readonly n: number
  readonly onGo: (n: number) => void
}
