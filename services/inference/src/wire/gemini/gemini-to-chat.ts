import type { Body } from '../dialect.ts'
import { chatMessages } from './gemini-contents.ts'
import { geminiFields } from './gemini-fields.ts'
import { chatSettings, chatTools } from './gemini-settings.ts'

/** `models` are fallbacks, which only this gateway has. */
const members = [
  ...([
    'contents',
    'systemInstruction',
    'generationConfig',
    'tools',
    'toolConfig',
    'safetySettings',
    'models',
  ] as const),
] as const

export interface ChatRequest {
  /** A chat completion that asks for the same. */
  readonly body: Body
  readonly showsThoughts: boolean
}

/**
 * A request of Gemini's `generateContent` as a chat completion. What is not known is refused, so that nothing that changes an
 * answer is lost; only `safetySettings` are left out, which other models have nothing like.
 *
 * @throws ServiceError naming the member that a chat does not have
 */
export function geminiToChat(
  body: Body,
  { model, stream }: { readonly model: string; readonly stream: boolean },
): ChatRequest {
  const request = geminiFields(body, '', members)
  const { members: settings, showsThoughts } = chatSettings(request.generationConfig)
  return {
    body: {
      model,
      ...(request.models === undefined ? {} : { models: request.models }),
      messages: chatMessages(request.systemInstruction, request.contents),
      ...settings,
      ...chatTools(request.tools, request.toolConfig),
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    },
    showsThoughts,
  }
}
