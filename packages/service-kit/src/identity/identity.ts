import { hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { CallerName } from '@ratchet/contracts/callers'
import { type EndpointCaller, endpointCallers } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import { z } from 'zod'
import { type Claims, readClaims } from './claims.ts'
import { hmacSha256 } from './hmac-sha256.ts'

/** A secret with an id, which says which key signed. During a rotation two are valid. */
export interface NamedKey {
  readonly id: string
  readonly secret: Buffer
}

/** A key that signs identities for one service. */
export interface SigningKey extends NamedKey {
  /** The only caller that has this key. The callee's own key, with which the edge signs, has no caller. */
  readonly caller?: EndpointCaller
}

/** What an identity is bound to, so that a stolen header is not valid for another request. */
export interface IdentifiedRequest {
  readonly audience: string
  readonly requestId: string
  readonly method: string
  /** The request target as the service receives it, query included. */
  readonly path: string
}

const validSeconds = 30
const clockSkewSeconds = 5

/**
 * Reads `k1:<base64>,k0:<base64>`; the first key signs, all verify.
 *
 * @throws RangeError for a key that is not 32 bytes of base64, or an id that occurs twice.
 */
export function parseNamedKeys(text: string): readonly [NamedKey, ...NamedKey[]] {
  const keys = text.split(',').map((entry): NamedKey => {
    const match = /^([A-Za-z0-9]{1,16}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim())
    if (match?.[1] === undefined || match[2] === undefined) {
      throw new RangeError('expected "<id>:<base64 of 32 bytes>", comma-separated')
    }
    return { id: match[1], secret: Buffer.from(match[2], 'base64') }
  })
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new RangeError('two keys with the same id')
  const [first, ...rest] = keys
  if (first === undefined) throw new RangeError('no keys')
  return [first, ...rest]
}

/** One in 10^16 random keys of 32 bytes has fewer different bytes. Such a key was typed. */
const minDifferentBytes = 16

/** @throws RangeError for a key that can be guessed, or for the same key with two ids, which would not be a rotation */
function requireStrong(keys: readonly NamedKey[]): void {
  const weak = keys.find(({ secret }) => new Set(secret).size < minDifferentBytes)
  if (weak !== undefined)
    throw new RangeError(`the key ${weak.id} is not random; create it with: openssl rand -base64 32`)
  const secrets = new Set(keys.map(({ secret }) => secret.toString('base64')))
  if (secrets.size < keys.length) throw new RangeError('two ids of the same key')
}

/** The zod form of {@link parseNamedKeys}, for a service's configuration. It refuses keys that can be guessed. */
export const NamedKeys = z.string().transform((text, context) => {
  try {
    const keys = parseNamedKeys(text)
    requireStrong(keys)
    return keys
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})

/** Derives the key of one audience from the edge's master key, so that a service cannot sign for another audience. */
export function deriveAudienceKey(master: Buffer, audience: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `ratchet identity ${audience}`, 32))
}

/**
 * Derives the key with which one service signs for another one. The callee derives it too, because it has its own key;
 * the caller cannot derive the key of another caller from it, nor the callee's own.
 *
 * @param calleeKey the callee's own key
 */
export function deriveCallerKey(calleeKey: Buffer, caller: EndpointCaller): Buffer {
  return Buffer.from(hkdfSync('sha256', calleeKey, '', `ratchet caller ${caller}`, 32))
}

/**
 * The keys of a caller, from those that it signs with or from the callee's own: both sides get the same.
 *
 * @param keys all of the caller, or all the callee's own
 */
export function keysOfCaller(
  [first, ...rest]: readonly [SigningKey, ...SigningKey[]],
  caller: EndpointCaller,
): readonly [SigningKey, ...SigningKey[]] {
  const ofCaller = (key: SigningKey) =>
    key.caller === undefined ? { id: key.id, caller, secret: deriveCallerKey(key.secret, caller) } : key
  return [ofCaller(first), ...rest.map(ofCaller)]
}

/**
 * Returns the header value, valid for 30 seconds, this audience and this request: `v1.<key id>.<payload>.<mac>` of the
 * edge, `v2.<caller>.<key id>.<payload>.<mac>` of a service.
 */
export function signIdentity(key: SigningKey, request: IdentifiedRequest, identity: Identity, nowMs: number): string {
  const iat = Math.floor(nowMs / 1000)
  const claims: Claims = {
    ...identity,
    aud: request.audience,
    iat,
    exp: iat + validSeconds,
    rid: request.requestId,
    method: request.method,
    path: pathHash(request.path),
  }
  const signer = key.caller === undefined ? `v1.${key.id}` : `v2.${key.caller}.${key.id}`
  const signed = `${signer}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${mac(key.secret, signed).toString('base64url')}`
}

export interface VerifiedIdentity {
  /** The process that signed, which its key proves. */
  readonly caller: CallerName
  readonly identity: Identity
}

/**
 * Returns the caller and the identity of a valid header; null for an invalid one.
 *
 * @param keys the callee's own keys, from which those of its callers are derived
 */
export function verifyIdentity(
  keys: readonly NamedKey[],
  request: IdentifiedRequest,
  header: string,
  nowMs: number,
): VerifiedIdentity | null {
  const signatureAt = header.lastIndexOf('.')
  const payloadAt = header.lastIndexOf('.', signatureAt - 1)
  if (payloadAt <= 0) return null
  const signer = readSigner(keys, header.slice(0, payloadAt).split('.'))
  if (signer === null) return null
  const signed = header.slice(0, signatureAt)
  const [payload, signature] = [header.slice(payloadAt + 1, signatureAt), header.slice(signatureAt + 1)]
  // Compared as text, because decoding would accept several spellings of one signature.
  const expected = Buffer.from(mac(signer.secret, signed).toString('base64url'))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  const identity = checkClaims(claims, request, nowMs)
  return identity === null ? null : { caller: signer.caller, identity }
}

interface Signer {
  readonly caller: CallerName
  readonly secret: Buffer
}

/** @param words the header before its payload: `v1.<key id>` or `v2.<caller>.<key id>` */
function readSigner(keys: readonly NamedKey[], words: readonly string[]): Signer | null {
  const key = keys.find(({ id }) => id === words.at(-1))
  if (key === undefined) return null
  if (words[0] === 'v1') return words.length === 2 ? { caller: 'edge', secret: key.secret } : null
  const caller = endpointCallers.find((name) => name === words[1])
  if (words[0] !== 'v2' || words.length !== 3 || caller === undefined) return null
  return { caller, secret: callerKey(key.secret, caller) }
}

const callerKeys = new WeakMap<Buffer, Map<EndpointCaller, Buffer>>()

function callerKey(secret: Buffer, caller: EndpointCaller): Buffer {
  const derived = callerKeys.get(secret) ?? new Map<EndpointCaller, Buffer>()
  callerKeys.set(secret, derived)
  const key = derived.get(caller) ?? deriveCallerKey(secret, caller)
  derived.set(caller, key)
  return key
}

function checkClaims(value: unknown, request: IdentifiedRequest, nowMs: number): Identity | null {
  const claims = readClaims(value)
  if (claims === null) return null
  const { aud, iat, exp, rid, method, path, ...identity } = claims
  const now = nowMs / 1000
  if (now > exp + clockSkewSeconds || now < iat - clockSkewSeconds) return null
  if (aud !== request.audience || rid !== request.requestId) return null
  if (method !== request.method || path !== pathHash(request.path)) return null
  return identity
}

const macs = new WeakMap<Buffer, ReturnType<typeof hmacSha256>>()

function mac(secret: Buffer, text: string): Buffer {
  const prepared = macs.get(secret) ?? hmacSha256(secret)
  macs.set(secret, prepared)
  return prepared(text)
}

/** Hashes of recent paths, because most requests have one of a few short ones. */
const pathHashes = new Map<string, string>()
const maxPathHashes = 500
const maxKnownPathLength = 100

function pathHash(path: string): string {
  const known = pathHashes.get(path)
  if (known !== undefined) return known
  const hashed = hash('sha256', path, 'base64url').slice(0, 22)
  if (path.length > maxKnownPathLength) return hashed
  if (pathHashes.size >= maxPathHashes) pathHashes.delete(pathHashes.keys().next().value as string)
  pathHashes.set(path, hashed)
  return hashed
}
