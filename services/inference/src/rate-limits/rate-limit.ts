import type { RateLimits } from '../workspace-settings/workspace-settings.ts'
import { type Draw, type Drawing, type Drawn, fullInMs, partsPerUnit } from './token-bucket.ts'

/** What a request is admitted by. */
export interface RateQuestion {
  readonly workspaceId: string
  readonly keyId: string
  /** The workspace's limits. */
  readonly limits: RateLimits
  /** The key's own, when it has any; a request must fit into both. */
  readonly keyLimits: RateLimits | undefined
  /** An estimate of the tokens it will use, 0 or more. */
  readonly tokens: number
}

/** How far a limit is used up. */
export interface LimitState {
  /** Per minute. */
  readonly limit: number
  /** What is left now, ≥ 0. */
  readonly remaining: number
  /** Milliseconds until nothing of it is used any more. */
  readonly resetMs: number
}

/** Of the limits of each sort, the one that is nearest to its end; null where there is none. */
export interface LimitStates {
  readonly requests: LimitState | null
  readonly tokens: LimitState | null
}

export interface Admitted extends LimitStates {
  readonly ok: true
  /** What `correct` needs to know of it. */
  readonly estimate: TokenEstimate
}

export interface Refused extends LimitStates {
  readonly ok: false
  /** Milliseconds after which the same request would be admitted if nothing else came, ≥ 1. */
  readonly retryAfterMs: number
}

export type Admission = Admitted | Refused

/** The tokens that an admission took in advance. */
export interface TokenEstimate {
  readonly draws: readonly Draw[]
  /** Where they were taken: from the buckets all processes share, or from this process's own. */
  readonly from: 'shared' | 'local'
}

/** Limits of requests and tokens per minute, of workspaces and of keys. */
export interface RateLimiter {
  /** Null, and at once, when the request has no limit at all. Never rejects, and never takes longer than 0.2 s. */
  admit(question: RateQuestion): Promise<Admission> | null
  /**
   * Puts what the request really used in place of the estimate; call it once, at the end, with 0 for a request that
   * came to nothing. Returns at once.
   */
  correct(admission: Admission, tokensUsed: number): void
}

/** What the limiter tells its operators. Each kind is a counter. */
export type RateLimitEvent =
  /** Redis does not answer: this process counts for itself. */
  | { readonly kind: 'away'; readonly cause: unknown }
  /** Redis answers again. */
  | { readonly kind: 'back' }
  /** A request was judged by this process's own buckets. */
  | { readonly kind: 'local' }

/** What a request has to draw; null when it has no limit. */
export function drawingOf({ workspaceId, keyId, limits, keyLimits, tokens }: RateQuestion): Drawing | null {
  const workspace = drawsOf(`ratchet:rate:{${workspaceId}}:workspace`, limits, tokens)
  const draws = keyLimits === undefined ? workspace : [...workspace, ...keyDraws(workspaceId, keyId, keyLimits, tokens)]
  return draws.length === 0 ? null : { kind: 'take', draws }
}

function keyDraws(workspaceId: string, keyId: string, limits: RateLimits, tokens: number): readonly Draw[] {
  return drawsOf(`ratchet:rate:{${workspaceId}}:key:${keyId}`, limits, tokens)
}

const requestsEnd = ':requests'
const tokensEnd = ':tokens'

function drawsOf(scope: string, { requestsPerMinute, tokensPerMinute }: RateLimits, tokens: number): readonly Draw[] {
  return [
    ...(requestsPerMinute === null ? [] : [{ key: `${scope}${requestsEnd}`, limit: requestsPerMinute, cost: 1 }]),
    ...(tokensPerMinute === null ? [] : [{ key: `${scope}${tokensEnd}`, limit: tokensPerMinute, cost: whole(tokens) }]),
  ]
}

/** @param from where the drawing took place */
export function admissionOf({ draws }: Drawing, { waitMs, parts }: Drawn, from: TokenEstimate['from']): Admission {
  const states = {
    requests: tightest(draws, parts, requestsEnd),
    tokens: tightest(draws, parts, tokensEnd),
  }
  if (waitMs > 0) return { ok: false, ...states, retryAfterMs: waitMs }
  return { ok: true, ...states, estimate: { draws: draws.filter(({ key }) => key.endsWith(tokensEnd)), from } }
}

/** What puts the real use in place of an estimate; null when they are the same. */
export function correctionOf({ draws }: TokenEstimate, tokensUsed: number): Drawing | null {
  const corrections = draws.map((draw) => ({ ...draw, cost: whole(tokensUsed) - draw.cost }))
  return corrections.some(({ cost }) => cost !== 0) ? { kind: 'correct', draws: corrections } : null
}

function tightest(draws: readonly Draw[], parts: readonly number[], end: string): LimitState | null {
  let found: LimitState | null = null
  for (const [index, { key, limit }] of draws.entries()) {
    if (!key.endsWith(end)) continue
    const held = parts[index] ?? 0
    const remaining = Math.max(0, Math.floor(held / partsPerUnit))
    const resetMs = fullInMs(held, limit)
    const isTighter = found === null || remaining < found.remaining
    const isLater = found !== null && remaining === found.remaining && resetMs > found.resetMs
    if (isTighter || isLater) found = { limit, remaining, resetMs }
  }
  return found
}

/** More than any request uses; keeps the arithmetic exact. */
const maxTokens = 1_000_000_000

function whole(tokens: number): number {
  return Number.isFinite(tokens) ? Math.min(maxTokens, Math.max(0, Math.ceil(tokens))) : 0
}
