import { type PromptWords, promptText } from './prompt-text.ts'

/** The model of the scripted upstream. All targets know it by this name and receive the same bytes. */
export const cannedModel = 'canned/chat'

export interface ChatBodyOptions {
  readonly words: PromptWords
  readonly promptBytes: number
  readonly stream: boolean
}

/** The body of a chat request with a prompt of this many bytes. */
export function chatBody({ words, promptBytes, stream }: ChatBodyOptions): string {
  const messages = [{ role: 'user', content: promptText(words, promptBytes) }]
  const body = { model: cannedModel, messages }
  return JSON.stringify(stream ? { ...body, stream: true, stream_options: { include_usage: true } } : body)
}
