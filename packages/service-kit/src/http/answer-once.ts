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
  /** This request is the first, or the first one failed. */
  { readonly kind: 'claimed' } | { readonly kind: 'running' } | ({ readonly kind: 'answered' } & FirstAnswer)

/** Answers by their keys. */
export interface FirstAnswers {
  /** `until`: when another request may take the key over, should this process die. */
  claim(key: AnswerKey, time: { readonly at: Date; readonly until: Date }): Promise<AnswerClaim>
  keep(key: AnswerKey, first: FirstAnswer & { readonly expiresAt: Date }): Promise<void>
  /** Frees the key of a request that failed. */
  release(key: AnswerKey): Promise<void>
}

export interface OnceDeps {
  readonly firstAnswers: FirstAnswers
  readonly now: () => Date
}

export interface OnceOrder<T> {
  readonly request: Request
  readonly workspaceId: string
  /** Distinguishes the keys of an endpoint from those of others. */
  readonly endpoint: string
  /** Makes what is asked for, and adds to the digest what the request says. Resolves with JSON. */
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

/**
 * Answers a repeated `Idempotency-Key` for a day with the first answer, and makes nothing again. A request that failed
 * leaves its key free.
 *
 * @throws ServiceError `idempotency_conflict` when the key was used for a different request, `conflict` while the first one runs
 */
export async function answerOnce<T>(
  { firstAnswers, now }: OnceDeps,
  { request, workspaceId, endpoint, make, read }: OnceOrder<T>,
): Promise<OnceResult<T>> {
  const named = readKeyOf(request)
  const digest = createBodyDigest()
  if (named === null) return { answer: await make(digest), headers: {} }
  const key = { workspaceId, id: deterministicId('answer', endpoint, workspaceId, named) }
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
  try {
    const answer = await make(digest)
    const expiresAt = new Date(now().getTime() + dayMs)
    await firstAnswers.keep(key, { digest: digest.read(), answer, expiresAt })
    return { answer, headers: {} }
  } catch (error) {
    await firstAnswers.release(key).catch(() => undefined)
    throw error
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
