import { hash } from 'node:crypto'

const blockBytes = 64

/**
 * HMAC-SHA-256 (RFC 2104) with a key that is prepared once. Node's `createHmac` allocates an object for every call, which
 * costs several times as much as the two hashes.
 *
 * @param secret of any length; 32 bytes are sufficient
 * @returns a function from text (UTF-8) to its MAC of 32 bytes
 */
export function hmacSha256(secret: Uint8Array): (text: string) => Buffer {
  const key = secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret
  const outer = Buffer.alloc(blockBytes + 32, 0x5c)
  let inner = Buffer.alloc(blockBytes + 1_024, 0x36)
  for (const [i, byte] of key.entries()) {
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  return (text) => {
    if (blockBytes + text.length * 3 > inner.length) inner = grown(inner, blockBytes + text.length * 3)
    const end = blockBytes + inner.write(text, blockBytes)
    hash('sha256', inner.subarray(0, end), 'buffer').copy(outer, blockBytes)
    return hash('sha256', outer, 'buffer')
  }
}

function grown(buffer: Buffer<ArrayBuffer>, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(bytes)
  buffer.copy(larger)
  return larger
}
