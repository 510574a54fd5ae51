import { jobCostNano } from '../money/job-cost.ts'
import type { Attempt } from './attempt.ts'

/** Whether a job ends at a checkpoint because its maximum cost does not cover the next one. */
export function endsAtMaximum(
  {
    settings,
    method,
    maxCostNano,
    priceNanoPerMtok,
  }: Pick<Attempt, 'settings' | 'method' | 'maxCostNano' | 'priceNanoPerMtok'>,
  { step, trainedTokens }: { readonly step: number; readonly trainedTokens: number },
): boolean {
  const { servable_steps: servable, save_every_steps: saveEvery, total_steps: last, total_tokens: all } = settings.plan
  // The last step of a run is decided when a step was trained.
  if (method === 'grpo') return false
  if (maxCostNano === null || step === 0 || step >= last) return false
  const servableStep = servable.find((each) => each > step) ?? last
  const steps = Math.min(servableStep, step + saveEvery, last) - step
  const next = Math.min(all, Math.ceil(trainedTokens + (trainedTokens / step) * steps))
  return jobCostNano(BigInt(next), priceNanoPerMtok) > maxCostNano
}
