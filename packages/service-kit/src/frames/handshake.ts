import { createHmac, timingSafeEqual } from 'node:crypto'
import type { NamedKey } from '../identity/identity.ts'
import { FrameError } from './frame-format.ts'

/*
 * Both peers prove that they have the identity key of inference before any frame is sent:
 *
 *   1. inference: the name of the protocol and a nonce
 *   2. edge:      the id of its key, a nonce, and its proof over both nonces
 *   3. inference: its proof over both nonces
 *
 * The keys that seal the records of the two directions are derived from the identity key and both nonces, so a record is
 * valid on one connection and in one direction only. Inference accepts every key that it verifies identities with, and
 * the edge uses the one that it signs with, so a rotation of keys needs no order.
 */

const protocol = Buffer.from('ratchet-frames/2')
const nonceBytes = 32
const proofBytes = 32
/** Maximum bytes of a record of the handshake. */
export const maxHandshakeBytes = 128

export interface SessionKeys {
  readonly fromEdge: Buffer
  readonly fromInference: Buffer
}

export interface Greeting {
  readonly record: Buffer
  readonly nonce: Buffer
}

/** The first record. @param nonce 32 random bytes */
export function greet(nonce: Buffer): Greeting {
  return { record: withLength(Buffer.concat([protocol, nonce])), nonce }
}

export interface EdgeProof {
  readonly record: Buffer
  readonly keys: SessionKeys
  /** @throws FrameError when the answer of inference proves no key */
  checkAnswer(record: Buffer): void
}

/**
 * The edge's answer to a greeting.
 *
 * @param nonce 32 random bytes
 * @throws FrameError when the peer speaks another protocol
 */
export function proveEdge(greeting: Buffer, key: NamedKey, nonce: Buffer): EdgeProof {
  const isProtocol = greeting.length === protocol.length + nonceBytes && greeting.indexOf(protocol) === 0
  if (!isProtocol) throw new FrameError('the peer does not speak this protocol')
  const nonces = Buffer.concat([greeting.subarray(protocol.length), nonce])
  const keyId = Buffer.from(key.id)
  const proof = derive(key.secret, 'proof of the edge', nonces)
  return {
    record: withLength(Buffer.concat([Buffer.of(keyId.length), keyId, nonce, proof])),
    keys: sessionKeys(key.secret, nonces),
    checkAnswer(record) {
      requireEqual(record, derive(key.secret, 'proof of inference', nonces))
    },
  }
}

export interface InferenceProof {
  readonly record: Buffer
  readonly keys: SessionKeys
}

/** @throws FrameError when the record of the edge proves none of the keys */
export function proveInference(greeting: Greeting, record: Buffer, keys: readonly NamedKey[]): InferenceProof {
  const idEnd = 1 + (record[0] ?? 0)
  if (record.length !== idEnd + nonceBytes + proofBytes) throw new FrameError('a proof of the wrong length')
  const id = record.toString('latin1', 1, idEnd)
  const key = keys.find((each) => each.id === id)
  if (key === undefined) throw new FrameError('a proof of an unknown key')
  const nonces = Buffer.concat([greeting.nonce, record.subarray(idEnd, idEnd + nonceBytes)])
  requireEqual(record.subarray(idEnd + nonceBytes), derive(key.secret, 'proof of the edge', nonces))
  return {
    record: withLength(derive(key.secret, 'proof of inference', nonces)),
    keys: sessionKeys(key.secret, nonces),
  }
}

function sessionKeys(secret: Buffer, nonces: Buffer): SessionKeys {
  return {
    fromEdge: derive(secret, 'records of the edge', nonces),
    fromInference: derive(secret, 'records of inference', nonces),
  }
}

function derive(secret: Buffer, purpose: string, nonces: Buffer): Buffer {
  return createHmac('sha256', secret).update(`ratchet frames: ${purpose}\0`).update(nonces).digest()
}

function requireEqual(given: Buffer, expected: Buffer): void {
  if (given.length === expected.length && timingSafeEqual(given, expected)) return
  throw new FrameError('the peer does not have the key')
}

function withLength(content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}
