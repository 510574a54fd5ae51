import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'

/** A request of a carrier, as it came. */
export interface SignedRequest {
  /** As the carrier knows it. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Twilio signs the URL and all fields of the form, sorted by name (HMAC-SHA1). */
export function isSignedByTwilio({ url, headers, body }: SignedRequest, authToken: string): boolean {
  const fields = [...new URLSearchParams(body.toString())].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const text = url + fields.map(([name, value]) => name + value).join('')
  const expected = Buffer.from(createHmac('sha1', authToken).update(text).digest('base64'))
  const stated = Buffer.from(headerOf(headers, 'x-twilio-signature'))
  return stated.length === expected.length && timingSafeEqual(stated, expected)
}

/** Requests of Telnyx are signed with their time; older ones were somebody's copy. */
const maxAgeMs = 300_000
/** What precedes the 32 bytes of a public key of Ed25519 in its DER form. */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex')

/** @param publicKey 32 bytes in base64 */
export function isSignedByTelnyx({ headers, body }: SignedRequest, publicKey: string, nowMs: number): boolean {
  const timestamp = headerOf(headers, 'telnyx-timestamp')
  const ageMs = Math.abs(nowMs - Number(timestamp) * 1_000)
  if (!/^\d{1,12}$/.test(timestamp) || ageMs > maxAgeMs) return false
  const der = Buffer.concat([ed25519Prefix, Buffer.from(publicKey, 'base64')])
  const signature = Buffer.from(headerOf(headers, 'telnyx-signature-ed25519'), 'base64')
  if (signature.length !== 64) return false
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return verify(null, Buffer.concat([Buffer.from(`${timestamp}|`), body]), key, signature)
}

function headerOf(headers: SignedRequest['headers'], name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}
