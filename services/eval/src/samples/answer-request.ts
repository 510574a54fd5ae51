import type { CreateEval } from '@ratchet/contracts/evals'
import { limitName, type ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import type { EvalPrompt } from './sample.ts'

/** The chat completion that asks a model for its answer to a prompt, as JSON: the same for the same sample. */
export function answerRequest(
  model: string,
  { messages, tools, responseFormat }: EvalPrompt,
  { params, traits }: { readonly params: CreateEval['params']; readonly traits: ModelTraits },
): string {
  const { temperature, max_tokens: maxTokens } = params
  return JSON.stringify({
    model,
    messages,
    ...(tools === null || tools.length === 0 ? {} : { tools }),
    ...(responseFormat === null || responseFormat === undefined ? {} : { response_format: responseFormat }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [limitName(traits)]: maxTokens }),
  })
}
