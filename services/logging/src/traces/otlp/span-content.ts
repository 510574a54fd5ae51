import { readAiSdkContent } from './ai-sdk-content.ts'
import { readEventMessages } from './event-messages.ts'
import type { FoundContent } from './found-content.ts'
import { readRawContent } from './raw-content.ts'
import type { OtlpSpan } from './read-spans.ts'
import { readSpreadMessages } from './spread-messages.ts'
import { readStructuredMessages } from './structured-messages.ts'

/** Readers of the formats of content, those that lose least first. */
const readers: readonly ((span: OtlpSpan) => FoundContent | null)[] = [
  readStructuredMessages,
  readAiSdkContent,
  readSpreadMessages,
  readEventMessages,
  readRawContent,
]

/**
 * The content of a model call. A prompt and an answer may be in different formats: some SDKs write their messages by one
 * convention and the answer, or the answer of a stream, only raw.
 */
export function readSpanContent(span: OtlpSpan): FoundContent {
  let found: FoundContent = { messages: [], response: null, tools: null, finishReason: null }
  for (const read of readers) {
    const content = read(span)
    if (content !== null) found = completed(found, content)
    if (hasPrompt(found) && found.response !== null) break
  }
  return found
}

function completed(found: FoundContent, other: FoundContent): FoundContent {
  // A system prompt alone is that of the messages of the other format.
  const isPromptLeft = found.messages.length > 0 && !hasPrompt(found) && other.messages[0]?.role !== 'system'
  const messages = isPromptLeft ? [...found.messages, ...other.messages] : other.messages
  return {
    messages: hasPrompt(found) || other.messages.length === 0 ? found.messages : messages,
    response: found.response ?? other.response,
    tools: found.tools ?? other.tools,
    finishReason: found.finishReason ?? other.finishReason,
  }
}

function hasPrompt({ messages }: FoundContent): boolean {
  return messages.some(({ role }) => role !== 'system')
}
