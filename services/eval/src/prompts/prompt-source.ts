import type { CreateEval } from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import type { DrawnPrompt } from '../samples/sample.ts'

export interface PromptOrder {
  readonly identity: Identity
  readonly request: Pick<CreateEval, 'sample_filters' | 'sample_count' | 'seed'>
}

/** What there is to draw from, without its texts. */
export interface PromptSurvey {
  /** Exchanges, examples or steps that the filters leave. */
  readonly eligible: number
  /** Distinct prompts among those that were looked at. */
  readonly distinct: number
  /** Of each prompt that would be drawn. */
  readonly tokens: readonly PromptTokens[]
}

/** As the log counted them, or about as many. */
export interface PromptTokens {
  readonly prompt: number
  readonly completion: number
}

/** Where prompts come from. The same order draws the same ones for as long as the source is the same. */
export interface PromptSource {
  /** @throws LoggingIsOff; ServiceError naming the filter when it names nothing */
  survey(order: PromptOrder): Promise<PromptSurvey>
  /** With their texts; what is gone meanwhile is left out. @throws as `survey` */
  draw(order: PromptOrder): Promise<readonly DrawnPrompt[]>
}

/** Fewer distinct prompts than this compare nothing. */
export const minPrompts = 5
