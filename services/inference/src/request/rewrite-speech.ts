import { asText } from '@ratchet/service-kit/values/json'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Rewrite } from './rewritten-exchange.ts'

/** Sends a spoken text as its sound. Inside, and wherever it is stored, an answer is JSON. */
export const speechRewrite: Rewrite = {
  request: (bytes) => bytes,
  reply(bytes) {
    const { audio, content_type } = readObject(bytes)?.body ?? {}
    if (typeof audio !== 'string') return bytes
    return { bytes: Buffer.from(audio, 'base64'), contentType: asText(content_type) ?? 'application/octet-stream' }
  },
  frame: (raw) => raw,
}
