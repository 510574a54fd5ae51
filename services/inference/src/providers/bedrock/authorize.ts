import { createHash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import type { BedrockCredentials } from './bedrock-credentials.ts'

export interface UnsignedCall {
  /** The upstream's host, with its port where that is not the scheme's own. */
  readonly host: string
  /** Path at the host, percent-encoded, without a query. */
  readonly path: string
  readonly body: Buffer
  readonly at: Date
}

/** The headers that sign one `POST` of JSON, by AWS's Signature Version 4. */
export type Sign = (call: UnsignedCall) => Promise<Record<string, string>>

/** @param region where the credentials' signature is to count */
export function createSigner(credentials: BedrockCredentials & { kind: 'signature' }, region: string): Sign {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const signer = new SignatureV4({
    service: 'bedrock',
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) },
    sha256: Sha256,
  })
  return async ({ host, path, body, at }) => {
    const signed = await signer.sign(
      {
        method: 'POST',
        protocol: 'https:',
        hostname: host,
        path,
        query: {},
        headers: {
          host,
          'content-type': 'application/json',
          // Hashed here, natively: bodies are large, and the signer's own hash is written in JavaScript.
          'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
        },
      },
      { signingDate: at },
    )
    const { host: _sentAnyway, ...headers } = signed.headers
    return headers
  }
}
