import type { FineTuningStatus } from '@ratchet/contracts/fine-tuning'
import type { RoundStage } from './round.ts'

/** What is true outside of the row of a round. */
export interface RoundWorld {
  readonly asked: number
  readonly answered: number
  /** Null before there is one. */
  readonly job: FineTuningStatus | null
}

export type RoundStep =
  | { readonly kind: 'sample' | 'judge' | 'curate' | 'start_job' | 'begin_evaluation' | 'finish' }
  | { readonly kind: 'advance'; readonly to: RoundStage }
  | { readonly kind: 'wait'; readonly message: string | null }
  | { readonly kind: 'fail'; readonly code: string; readonly message: string }

/** The next step of a round. Every step may be taken twice. */
export function nextRoundStep(stage: RoundStage, { asked, answered, job }: RoundWorld): RoundStep {
  switch (stage) {
    case 'sampling':
      return asked > 0 ? { kind: 'sample' } : { kind: 'advance', to: 'judging' }
    case 'judging':
      return answered > 0 ? { kind: 'judge' } : { kind: 'advance', to: 'curating' }
    case 'curating':
      return { kind: 'curate' }
    case 'training':
      return job === null ? { kind: 'start_job' } : stepOfJob(job)
    case 'evaluating':
      if (asked > 0) return { kind: 'sample' }
      return answered > 0 ? { kind: 'judge' } : { kind: 'finish' }
  }
}

function stepOfJob(job: FineTuningStatus): RoundStep {
  switch (job) {
    case 'succeeded':
      return { kind: 'begin_evaluation' }
    case 'failed':
    case 'cancelled':
      return {
        kind: 'fail',
        code: `training_${job}`,
        message: `The fine-tuning job ${job === 'failed' ? 'failed' : 'was cancelled'}.`,
      }
    case 'paused':
      return { kind: 'wait', message: 'The fine-tuning job is paused.' }
    default:
      return { kind: 'wait', message: null }
  }
}
