import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { SignedThought } from '../../wire/signed-thoughts.ts'
import type { ContentBlock, ConverseMessage } from './converse-body.ts'

/** Claude signs its reasoning, and takes it back only with the signature. Other models do neither. */
export function signsReasoning(modelId: string): boolean {
  return /(^|[./])anthropic\./.test(modelId)
}

/** A reasoning block of Converse as a block of Claude; none without a signature. */
export function thoughtIn({ reasoningContent }: Fields): Fields[] {
  const { reasoningText, redactedContent } = asObject(reasoningContent) ?? {}
  const { text, signature } = asObject(reasoningText) ?? {}
  if (typeof redactedContent === 'string') return [{ type: 'redacted_thinking', data: redactedContent }]
  return signature === undefined ? [] : [{ type: 'thinking', thinking: text ?? '', signature }]
}

export function reasoningBlock(thought: SignedThought): ContentBlock {
  if (thought.type === 'redacted_thinking') return { reasoningContent: { redactedContent: thought.data } }
  const { thinking: text, signature } = thought
  return { reasoningContent: { reasoningText: { text, signature } } }
}

/** A message that had nothing else is left out. */
export function withoutReasoning(messages: readonly ConverseMessage[]): readonly ConverseMessage[] {
  return messages
    .map((message) => ({ ...message, content: message.content.filter((block) => !('reasoningContent' in block)) }))
    .filter(({ content }) => content.length > 0)
}
