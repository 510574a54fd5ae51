import type { Call } from './reply.ts'

/** The item of a response that stands for the reasoning of its model. */
export interface ReasoningItem {
  id: string
  type: 'reasoning'
  summary: readonly never[]
  /** Only when the request includes it. */
  encrypted_content?: string
}

const included = 'reasoning.encrypted_content'

/** Agents ask every model for encrypted reasoning; one that does not reason has none. */
export function reasoningItems({ name, model, body }: Call, tokens: number): ReasoningItem[] {
  const asks = Array.isArray(body.include) && body.include.includes(included)
  if (tokens === 0) return []
  const item = { id: `rs_${name.slice(0, 32)}`, type: 'reasoning' as const, summary: [] }
  return [asks ? { ...item, encrypted_content: encryptedBy(model.id) } : item]
}

/** True when this model wrote the encrypted content. */
export function canRead(model: string, encrypted: unknown): boolean {
  return encrypted === encryptedBy(model)
}

function encryptedBy(model: string): string {
  return Buffer.from(`what ${model} thought`).toString('base64')
}
