import { createHash } from 'node:crypto'
import type { JsonScan } from '@ratchet/service-kit/json/scan-json'
import { canonicalBody } from '../wire/json/canonical-body.ts'

export interface FingerprintedRequest {
  readonly method: string
  readonly path: string
  /** The body as the client sent it, which `JSON.parse` accepted. */
  readonly bytes: Buffer
  readonly scan: JsonScan
}

/** The SHA-256 of a request. Two requests have the same one if they differ only in the layout of their body. */
export function requestFingerprint({ method, path, bytes, scan }: FingerprintedRequest): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([method, path]))
    .update(canonicalBody({ bytes, scan }))
    .digest()
}
