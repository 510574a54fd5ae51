import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { TrainerData } from '@ratchet/contracts/trainer-protocol'
import { neededHoldNano } from '../driver/next-job.ts'
import type { JobSettings } from '../jobs/job.ts'
import { planOf } from '../jobs/resolve-settings.ts'
import { jobCostNano } from '../money/job-cost.ts'

/** What a job knows of its data and its money while an attempt runs. */
export interface CountedJob {
  readonly request: Pick<CreateFineTuningJob, 'nCheckpoints'>
  readonly settings: JobSettings
  readonly report: TrainingDataReport
  readonly priceNanoPerMtok: bigint
  readonly totalTokens: bigint
  /** Whether a trainer has counted them. */
  readonly tokensExact: boolean
  readonly maxCostNano: bigint | null
  readonly heldNano: bigint
  readonly costNano: bigint
}

/** What a trainer's counts change. */
export interface CountedData {
  readonly report: TrainingDataReport
  readonly settings: JobSettings
  readonly totalTokens: bigint
  readonly estimatedCostNano: bigint
}

/** Tokens that the template of a model adds to an example, at most. */
const maxTemplateTokens = 1_024
/** The estimate has a token for four bytes, and no tokenizer has more than one for each. */
const maxOfEstimate = 4

/** What the data can be at most, whatever a trainer says: it is what the job costs. */
function countedOf({ report, settings }: CountedJob, data: TrainerData): Pick<TrainerData, 'used' | 'tokens'> {
  const used = Math.min(data.used, report.used)
  const byLength = used * 2 * settings.hyperparameters.max_sequence_length
  const byBytes = maxOfEstimate * report.tokens + used * maxTemplateTokens
  return { used, tokens: Math.min(data.tokens, byLength, byBytes) }
}

/**
 * Takes over what a trainer counted, in place of the estimate, as far as the data can have so much.
 *
 * @returns null when the job has exact counts already, or was charged by its estimate: then its plan does not change any more
 */
export function countData(job: CountedJob, data: TrainerData): CountedData | null {
  if (job.tokensExact || job.costNano > 0n) return null
  const { hyperparameters } = job.settings
  const { used, tokens } = countedOf(job, data)
  const plan = planOf(job.request, hyperparameters, { examples: used, tokens })
  const totalTokens = BigInt(plan.total_tokens)
  const estimatedCostNano = jobCostNano(totalTokens, job.priceNanoPerMtok)
  // What was too long by the estimate was left out before, unless it is truncated.
  const tooLongBefore = hyperparameters.on_too_long === 'truncate_left' ? 0 : job.report.too_long
  const report = {
    ...job.report,
    used,
    too_long: tooLongBefore + data.too_long,
    tokens,
    p50_tokens: data.p50_tokens ?? job.report.p50_tokens,
    p95_tokens: data.p95_tokens ?? job.report.p95_tokens,
    stop_token_trained: data.stop_token_trained,
    template_sha256: data.chat_template_sha256,
  }
  return { report, settings: { ...job.settings, plan }, totalTokens, estimatedCostNano }
}

/** Whether the hold of the job covers all that it may still cost. */
export function isCovered(job: CountedJob): boolean {
  return !job.tokensExact || job.costNano > 0n || neededHoldNano(job) <= job.heldNano
}
