import type { Usage } from '../usage.ts'

/** Writes one frame of a Messages stream. */
export function messageEvent(type: string, data: object): string {
  return frameOf(type, JSON.stringify({ type, ...data }))
}

/** Writes a frame around existing JSON. Line breaks in it can only be white space between its tokens. */
export function frameOf(type: string, json: string): string {
  return `event: ${type}\ndata: ${json.replace(/[\r\n]+/g, ' ')}\n\n`
}

/** Usage in the fields of Anthropic, as `readMessagesUsage` reads it. */
export function wireMessagesUsage(usage: Usage) {
  const { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage
  return {
    input_tokens: promptTokens - cachedPromptTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedPromptTokens,
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
  }
}
