import { asObject, type Fields } from '@ratchet/service-kit/values/json'

/** A block of thinking with its signature, or of encrypted thinking. */
export type SignedThought =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

/** Marks Claude's thinking in `reasoning_details`, in the format of OpenRouter. */
const format = 'anthropic-claude-v1'
/** Maximum bytes of all thinking of an answer that a client gets to send back, because it is sent in one frame. */
const maxDetailsBytes = 900_000

/**
 * Signed thinking in the form in which chat clients send it back. Thinking without a signature, or too long for a
 * frame, is left out.
 */
export function detailsOf(blocks: readonly Fields[]): Fields[] {
  const details = blocks.flatMap(({ type, thinking: text, signature, data }): Fields[] => {
    if (type === 'redacted_thinking' && isText(data)) return [{ type: 'reasoning.encrypted', data, format }]
    const isSigned = type === 'thinking' && typeof text === 'string' && isText(signature)
    return isSigned ? [{ type: 'reasoning.text', text, signature, format }] : []
  })
  const isLong = Buffer.byteLength(JSON.stringify(details)) > maxDetailsBytes
  return isLong ? [] : details.map((detail, index) => ({ ...detail, index }))
}

/** The thinking that a client sends back, as blocks. That of other providers and unsigned thinking is left out. */
export function thoughtsOf(details: unknown): SignedThought[] {
  return (Array.isArray(details) ? details : []).flatMap((value): SignedThought[] => {
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
