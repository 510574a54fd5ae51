import { createHash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import type { BedrockCredentials } from './bedrock-credentials.ts'

export interface UnsignedCall {
  /** The host of the upstream, with its port if that is not the default of the scheme. */
  readonly host: string
  /** The path at the host, percent-encoded, without a query. */
  readonly path: string
  readonly body: Buffer
  readonly at: Date
}

/** Signs one `POST` of JSON with AWS Signature Version 4, and returns the headers. */
export type Sign = (call: UnsignedCall) => Promise<Record<string, string>>

/** @param region the region for which the signature is valid */
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
          // The hash is computed here with native code, because bodies are large and the signer's own hash is in
          // JavaScript.
          'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
        },
      },
      { signingDate: at },
    )
    const { host: _sentAnyway, ...headers } = signed.headers
    return headers
  }
}
