import { setImmediate as nextTurn } from 'node:timers/promises'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Identity } from '@ratchet/contracts/identity'
import type { Request } from 'express'
import { dayMs } from '../timing/durations.ts'
import { deterministicId } from '../values/deterministic-id.ts'
import { type BodyDigest, createBodyDigest } from './body-digest.ts'
import { readIdempotencyKey, usedForAnother } from './idempotency-key.ts'
import { ServiceError } from './service-error.ts'

export interface AnswerKey {
  readonly workspaceId: string
  /** UUID that is derived from the endpoint and the `Idempotency-Key`. */
  readonly id: string
}

/** What was answered to the first request with a key. */
export interface FirstAnswer {
  readonly digest: string
  /** JSON. */
  readonly answer: unknown
}

export type AnswerClaim =
  /** This request is the first, or the first one failed. `token` says that the key is its own. */
  | { readonly kind: 'claimed'; readonly token: string }
  | { readonly kind: 'running' }
  | ({ readonly kind: 'answered' } & FirstAnswer)

/** A key that this process claimed. */
export interface ClaimedKey extends AnswerKey {
  /** UUID of the claim. */
  readonly token: string
}

/** Answers by their keys. What is done with a claimed key does nothing when another request has taken it over. */
export interface FirstAnswers {
  /** `until`: when another request may take the key over, should this process die. */
  claim(key: AnswerKey, time: { readonly at: Date; readonly until: Date }): Promise<AnswerClaim>
  /** Claims the key for longer, while the request runs. */
  renew(key: ClaimedKey, until: Date): Promise<void>
  /** Stores the answer, also when the claim expired and was deleted. */
  keep(key: ClaimedKey, first: FirstAnswer & { readonly expiresAt: Date }): Promise<void>
  /** Frees the key of a request that failed. */
  release(key: ClaimedKey): Promise<void>
}

export interface OnceDeps {
  readonly firstAnswers: FirstAnswers
  readonly now: () => Date
}

export interface OnceOrder<T> {
  readonly request: Request
  /** Keys of two people are different, although they look the same. */
  readonly identity: Pick<Identity, 'workspaceId' | 'userId'>
  /** Distinguishes the keys of an endpoint from those of others. */
  readonly endpoint: string
  /**
   * Makes what is asked for, and adds to the digest what the request says. Resolves with JSON. A rejection frees the key,
   * so nothing may have been made then that a retry would make again.
   */
  readonly make: (digest: BodyDigest) => Promise<T>
  /** Reads the request as `make` does, and makes nothing. */
  readonly read: (digest: BodyDigest) => Promise<unknown>
}

export interface OnceResult<T> {
  readonly answer: T
  /** Headers of the reply. */
  readonly headers: Readonly<Record<string, string>>
}

const claimMs = 15 * 60_000
const renewMs = claimMs / 3

/**
 * Answers a repeated `Idempotency-Key` for a day with the first answer, and makes nothing again. A request that failed
 * leaves its key free.
 *
 * @throws ServiceError `idempotency_conflict` when the key was used for a different request, `conflict` while the first one runs
 */
export async function answerOnce<T>(deps: OnceDeps, order: OnceOrder<T>): Promise<OnceResult<T>> {
  const { request, identity, endpoint, make, read } = order
  const { firstAnswers, now } = deps
  const named = readKeyOf(request)
  const digest = createBodyDigest()
  if (named === null) return { answer: await make(digest), headers: {} }
  const { workspaceId, userId } = identity
  const key = { workspaceId, id: deterministicId('answer', endpoint, workspaceId, userId, named) }
  const at = now()
  const claim = await firstAnswers.claim(key, { at, until: new Date(at.getTime() + claimMs) })
  if (claim.kind === 'running') {
    request.resume()
    throw stillRunning()
  }
  if (claim.kind === 'answered') {
    await read(digest)
    if (digest.read() !== claim.digest) throw usedForAnother()
    return { answer: claim.answer as T, headers: { 'Idempotent-Replay': 'true' } }
  }
  const claimed = { ...key, token: claim.token }
  const answer = await whileClaimed(deps, claimed, () => make(digest))
  const first = { digest: digest.read(), answer, expiresAt: new Date(now().getTime() + dayMs) }
  // What was made is answered in any case. Without the stored answer, the claim at least refuses an early retry.
  await firstAnswers.keep(claimed, first).catch(() => firstAnswers.keep(claimed, first).catch(() => undefined))
  return { answer, headers: {} }
}

/** Renews the claim until the work ends, and frees the key when it fails. */
async function whileClaimed<T>({ firstAnswers, now }: OnceDeps, key: ClaimedKey, work: () => Promise<T>): Promise<T> {
  const renewal = setInterval(() => {
    firstAnswers.renew(key, new Date(now().getTime() + claimMs)).catch(() => undefined)
  }, renewMs)
  renewal.unref()
  try {
    return await work()
  } catch (error) {
    await firstAnswers.release(key).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewal)
  }
}

/** The same for a body that was read already. */
export function answerJsonOnce<T>(
  deps: OnceDeps,
  { body, ...order }: Omit<OnceOrder<T>, 'make' | 'read'> & { readonly body: unknown },
  make: () => Promise<T>,
): Promise<OnceResult<T>> {
  const read = async (digest: BodyDigest) => digest.add(JSON.stringify(body))
  return answerOnce(deps, {
    ...order,
    read,
    async make(digest) {
      await read(digest)
      return make()
    },
  })
}

/** The same for a body whose bytes were read already. */
export function answerBytesOnce<T>(
  deps: OnceDeps,
  { bytes, ...order }: Omit<OnceOrder<T>, 'make' | 'read'> & { readonly bytes: Uint8Array },
  make: () => Promise<T>,
): Promise<OnceResult<T>> {
  const read = async (digest: BodyDigest) => {
    for await (const _ of digest.through(piecesOf(bytes)));
  }
  return answerOnce(deps, {
    ...order,
    read,
    async make(digest) {
      await read(digest)
      return make()
    },
  })
}

/** Pieces that are digested in a few milliseconds each, with turns for other work between them. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += mebibyte) {
    await nextTurn()
    yield bytes.subarray(at, at + mebibyte)
  }
}

/** Discards the body of a refused request, so that the client can read the reply. */
function readKeyOf(request: Request): string | null {
  try {
    return readIdempotencyKey(request)
  } catch (error) {
    request.resume()
    throw error
  }
}

function stillRunning(): ServiceError {
  const message = 'The first request with this Idempotency-Key is still running. Retry.'
  return new ServiceError('conflict', message, { retryAfterSeconds: 1 })
}
