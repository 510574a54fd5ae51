import type { CreateEval } from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import type { DrawnPrompt } from '../samples/sample.ts'

export interface PromptRequest {
  readonly identity: Identity
  readonly request: Pick<CreateEval, 'sample_filters' | 'sample_count' | 'seed'> &
    Partial<Pick<CreateEval, 'judging_mode' | 'baseline_model'>>
}

/** The available prompts, without their texts. */
export interface PromptSurvey {
  /** Exchanges, examples or steps that match the filters. */
  readonly eligible: number
  /** Distinct prompts among those that were read. */
  readonly distinct: number
  /** Token counts of each prompt that would be drawn. */
  readonly tokens: readonly PromptTokens[]
}

/** Token counts from the log, or an estimate. */
export interface PromptTokens {
  readonly prompt: number
  readonly completion: number
}

/** A source of prompts. The same request draws the same prompts as long as the source does not change. */
export interface PromptSource {
  /** @throws LoggingIsOff; ServiceError naming the filter when it matches nothing that exists */
  survey(request: PromptRequest): Promise<PromptSurvey>
  /** Draws prompts with their texts. Prompts that were deleted in the meantime are left out. @throws as `survey` */
  draw(request: PromptRequest): Promise<readonly DrawnPrompt[]>
}

/** Minimum number of distinct prompts of an eval. */
export const minPrompts = 5
