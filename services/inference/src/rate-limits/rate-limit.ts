import type { RateLimits } from '../workspace-settings/workspace-settings.ts'
import { type Draw, type Drawing, type Drawn, fullInMs, partsPerUnit } from './token-bucket.ts'

/** The facts that decide whether a request is admitted. */
export interface RateQuestion {
  readonly workspaceId: string
  /** Null for a request from the dashboard, which has no limits of a key. */
  readonly keyId: string | null
  /** The limits of the workspace. */
  readonly limits: RateLimits
  /** The limits of the key, if it has any. A request must fit into both. */
  readonly keyLimits: RateLimits | undefined
  /** The estimated tokens of the request, ≥ 0. */
  readonly tokens: number
}

/** The state of one limit. */
export interface LimitState {
  /** Units per minute. */
  readonly limit: number
  /** Remaining units, ≥ 0. */
  readonly remaining: number
  /** Milliseconds until the limit is unused again. */
  readonly resetMs: number
}

/** For requests and for tokens, the limit with the least remaining; null when there is no such limit. */
export interface LimitStates {
  readonly requests: LimitState | null
  readonly tokens: LimitState | null
}

export interface Admitted extends LimitStates {
  readonly ok: true
  /** The data that `correct` needs. */
  readonly estimate: TokenEstimate
}

export interface Refused extends LimitStates {
  readonly ok: false
  /** Milliseconds after which the same request would be admitted if no other came, ≥ 1. */
  readonly retryAfterMs: number
  /** Whose limit refused it: the key's only if that of the workspace would have admitted it. */
  readonly scope: 'key' | 'workspace'
}

export type Admission = Admitted | Refused

/** The tokens that an admission took by estimate. */
export interface TokenEstimate {
  readonly draws: readonly Draw[]
  /** The buckets that they were taken from: those that all processes share, or those of this process. */
  readonly from: 'shared' | 'local'
}

/** Limits of requests and tokens per minute, of workspaces and of keys. */
export interface RateLimiter {
  /** Null, and at once, when the request has no limit. Never rejects, and never takes longer than 0.2 s. */
  admit(question: RateQuestion): Promise<Admission> | null
  /**
   * Replaces the estimate by the real tokens. Call it once, at the end, with 0 for a request without an answer. Returns
   * at once.
   */
  correct(admission: Admission, tokensUsed: number): void
}

/** Events of the limiter for operators. Each kind is a counter. */
export type RateLimitEvent =
  /** Redis does not answer. This process counts alone. */
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  /** Redis answers again. */
  | { readonly kind: 'recovered' }
  /** A request was admitted or refused by the buckets of this process. */
  | { readonly kind: 'local' }

/** The draws of a request; null when it has no limit. */
export function drawingOf({ workspaceId, keyId, limits, keyLimits, tokens }: RateQuestion): Drawing | null {
  const workspace = drawsOf(`ratchet:rate:{${workspaceId}}:workspace`, limits, tokens)
  const draws =
    keyLimits === undefined || keyId === null
      ? workspace
      : [...workspace, ...keyDraws(workspaceId, keyId, keyLimits, tokens)]
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

/** @param from the buckets that were drawn from */
export function admissionOf({ draws }: Drawing, { waitMs, parts }: Drawn, from: TokenEstimate['from']): Admission {
  const states = {
    requests: tightest(draws, parts, requestsEnd),
    tokens: tightest(draws, parts, tokensEnd),
  }
  if (waitMs > 0) return { ok: false, ...states, retryAfterMs: waitMs, scope: refusingScope(draws, parts) }
  return { ok: true, ...states, estimate: { draws: draws.filter(({ key }) => key.endsWith(tokensEnd)), from } }
}

function refusingScope(draws: readonly Draw[], parts: readonly number[]): Refused['scope'] {
  const refusing = draws.filter(
    ({ limit, cost }, index) => (parts[index] ?? 0) < Math.min(cost, Math.max(1, limit)) * partsPerUnit,
  )
  return refusing.length > 0 && refusing.every(({ key }) => key.includes(':key:')) ? 'key' : 'workspace'
}

/** The drawing that replaces an estimate by the real tokens; null when they are the same. */
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

/** More than any request uses. It keeps the arithmetic exact. */
const maxTokens = 1_000_000_000

function whole(tokens: number): number {
  return Number.isFinite(tokens) ? Math.min(maxTokens, Math.max(0, Math.ceil(tokens))) : 0
}
