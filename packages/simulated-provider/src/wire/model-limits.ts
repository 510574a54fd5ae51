import type { SimulatedModel } from '../simulated-model.ts'
import type { ChatRequest } from './chat-request.ts'
import { WireError } from './wire-error.ts'

/**
 * The request with a limit of at most that of its model.
 *
 * @throws WireError 400 for a prompt above the context window
 */
export function withinLimits(request: ChatRequest, model: SimulatedModel): ChatRequest {
  checkPrompt(request.promptTokens, model, 'messages')
  return { ...request, maxTokens: Math.min(request.maxTokens, model.maxOutputTokens) }
}

/** @throws WireError 400 `context_length_exceeded`, with OpenAI's message, for more tokens than the model can read */
export function checkPrompt(tokens: number, { contextWindow }: SimulatedModel, param: string): void {
  if (tokens <= contextWindow) return
  const message =
    `This model's maximum context length is ${contextWindow} tokens. However, your ${param} resulted in ${tokens} ` +
    `tokens. Please reduce the length of the ${param}.`
  throw new WireError(400, message, { param, code: 'context_length_exceeded' })
}
