import { isObject } from '@ratchet/service-kit/values/json'

/**
 * The text of the leading system and developer messages, one per line; empty when the first message has another role.
 */
export function systemPromptOf(messages: unknown): string {
  if (!Array.isArray(messages)) return ''
  const texts: string[] = []
  for (const message of messages) {
    if (!isObject(message) || (message.role !== 'system' && message.role !== 'developer')) break
    texts.push(textOf(message.content))
  }
  return texts.join('\n')
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(partText).join('\n')
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part
  return isObject(part) && typeof part.text === 'string' ? part.text : ''
}
