import { asObject, type Fields } from '../../wire/chat/chat-chunk.ts'

/** What tells Anthropic's thoughts from another provider's in `reasoning_details`, as OpenRouter spells them. */
const format = 'anthropic-claude-v1'
/** Bytes of all thoughts of an answer beyond which a client is not given them to send back: they go in one frame. */
const longestDetails = 900_000

/** Signed thoughts as a chat client may send them back: none of those without a signature, or too long to be a frame. */
export function detailsOf(blocks: readonly Fields[]): Fields[] {
  const details = blocks.flatMap(({ type, thinking: text, signature, data }): Fields[] => {
    if (type === 'redacted_thinking' && isText(data)) return [{ type: 'reasoning.encrypted', data, format }]
    const isSigned = type === 'thinking' && typeof text === 'string' && isText(signature)
    return isSigned ? [{ type: 'reasoning.text', text, signature, format }] : []
  })
  const isLong = Buffer.byteLength(JSON.stringify(details)) > longestDetails
  return isLong ? [] : details.map((detail, index) => ({ ...detail, index }))
}

/** The thoughts that a client sends back, as blocks; another provider's, and unsigned ones, are none. */
export function thoughtsOf(details: unknown): Fields[] {
  return (Array.isArray(details) ? details : []).flatMap((value): Fields[] => {
    const detail = asObject(value) ?? {}
    if (detail.format !== format) return []
    const { type, text, signature, data } = detail
    if (type === 'reasoning.encrypted' && isText(data)) return [{ type: 'redacted_thinking', data }]
    const isSigned = type === 'reasoning.text' && typeof text === 'string' && isText(signature)
    return isSigned ? [{ type: 'thinking', thinking: text, signature }] : []
  })
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
