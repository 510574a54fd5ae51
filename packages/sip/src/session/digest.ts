import { createHash } from 'node:crypto'
import { parseParams, splitOutsideQuotes } from '../message/header-values.ts'
import { SipParseError } from '../message/sip-parse-error.ts'

/** What a peer asks for with 401 or 407 (RFC 8760). */
export interface DigestChallenge {
  readonly realm: string
  readonly nonce: string
  readonly algorithm: 'MD5' | 'SHA-256'
  /** null when the peer sent none, as before RFC 2617. */
  readonly qop: 'auth' | null
  readonly opaque: string | null
}

export interface DigestCredentials {
  readonly username: string
  readonly password: string
}

/** The challenge of a header, or null when it asks for something else than a known digest. @throws SipParseError */
export function parseChallenge(value: string): DigestChallenge | null {
  const space = value.indexOf(' ')
  if (value.slice(0, Math.max(0, space)).toLowerCase() !== 'digest') return null
  const params = parseParams(splitOutsideQuotes(value.slice(space + 1), ','))
  const algorithm = (params.get('algorithm') ?? 'MD5').toUpperCase()
  if (algorithm !== 'MD5' && algorithm !== 'SHA-256') return null
  const offered = params
    .get('qop')
    ?.split(',')
    .map((word) => word.trim().toLowerCase())
  if (offered !== undefined && !offered.includes('auth')) return null
  const nonce = params.get('nonce')
  if (nonce === undefined) throw new SipParseError('header', 'a challenge without a nonce')
  return {
    realm: params.get('realm') ?? '',
    nonce,
    algorithm,
    qop: offered === undefined ? null : 'auth',
    opaque: params.get('opaque') ?? null,
  }
}

/**
 * The value of Authorization or Proxy-Authorization.
 *
 * @param cnonce random, at least 8 characters of hexadecimal digits
 */
export function answerChallenge(
  { realm, nonce, algorithm, qop, opaque }: DigestChallenge,
  { username, password }: DigestCredentials,
  { method, uri, cnonce }: { readonly method: string; readonly uri: string; readonly cnonce: string },
): string {
  const hash = (text: string) =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex')
  const count = '00000001'
  const secret = hash(`${username}:${realm}:${password}`)
  const target = hash(`${method}:${uri}`)
  const response =
    qop === null ? hash(`${secret}:${nonce}:${target}`) : hash(`${secret}:${nonce}:${count}:${cnonce}:${qop}:${target}`)
  const fields = [
    `username=${quote(username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `response="${response}"`,
    `algorithm=${algorithm}`,
    ...(qop === null ? [] : [`qop=${qop}`, `nc=${count}`, `cnonce="${cnonce}"`]),
    ...(opaque === null ? [] : [`opaque=${quote(opaque)}`]),
  ]
  return `Digest ${fields.join(', ')}`
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
