import { createHmac, hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { WireError } from '../wire-error.ts'

/** The access key whose signatures are verified. Signatures of other keys only need the right format. */
const knownKey = { id: 'SIM', secret: 'simulated' }

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/

/** Checks an AWS Signature Version 4. @throws WireError 403 */
export function checkSignature(request: IncomingMessage, authorization: string): void {
  const [, keyId, day, region, service, names, signature] = form.exec(authorization) ?? []
  const date = headerOf(request, 'x-amz-date')
  const signed = names?.split(';') ?? []
  if (!/^\d{8}T\d{6}Z$/.test(date) || !date.startsWith(day ?? ' ') || !signed.includes('host')) {
    throw refusal('IncompleteSignatureException', 'Authorization header requires a complete signature.')
  }
  if (service !== 'bedrock') throw refusal('InvalidSignatureException', 'Credential should be scoped to bedrock.')
  if (keyId !== knownKey.id) return
  const scope = [day, region, service, 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), hash('sha256', canonicalRequest(request, signed))].join('\n')
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part ?? ''), `AWS4${knownKey.secret}`)
  if (hmac(key, text).toString('hex') !== signature) {
    throw refusal('InvalidSignatureException', 'The request signature we calculated does not match the one you gave.')
  }
}

/** Method, path, query, headers and the hash of the body in AWS's canonical form; the path is encoded once more. */
function canonicalRequest(request: IncomingMessage, signed: readonly string[]): string {
  const path = (request.url ?? '/').split('/').map(encodeURIComponent).join('/')
  const headers = signed.map((name) => `${name}:${headerOf(request, name).trim()}`)
  return [request.method, path, '', ...headers, '', signed.join(';'), headerOf(request, 'x-amz-content-sha256')].join(
    '\n',
  )
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  return String(headers[name] ?? '')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function refusal(code: string, message: string): WireError {
  return new WireError(403, message, { code })
}
