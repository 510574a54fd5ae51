import { createHash } from 'node:crypto'

/** A digest of what a request asks for, which distinguishes two requests with one key. */
export interface BodyDigest {
  add(text: string): void
  /** The same content, counted while it is read. */
  through(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** SHA-256 as base64url. Nothing can be added afterwards. */
  read(): string
}

export function createBodyDigest(): BodyDigest {
  const hash = createHash('sha256')
  let result: string | null = null
  return {
    add: (text) => void hash.update(`${Buffer.byteLength(text)}:`).update(text),
    async *through(content) {
      for await (const chunk of content) {
        hash.update(chunk)
        yield chunk
      }
    },
    read() {
      result ??= hash.digest('base64url')
      return result
    },
  }
}
