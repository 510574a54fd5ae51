import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { LimitState, LimitStates } from './rate-limit.ts'

/** The headers of OpenAI that show a client what remains of its limits. */
export function rateLimitHeaders({ requests, tokens }: LimitStates): Readonly<Record<string, string>> {
  return { ...headersOf('requests', requests), ...headersOf('tokens', tokens) }
}

function headersOf(what: 'requests' | 'tokens', state: LimitState | null): Readonly<Record<string, string>> {
  if (state === null) return {}
  return {
    [`x-ratelimit-limit-${what}`]: String(state.limit),
    [`x-ratelimit-remaining-${what}`]: String(state.remaining),
    [`x-ratelimit-reset-${what}`]: formatDuration(state.resetMs),
  }
}

/**
 * A duration as OpenAI and Go write it: `120ms`, `1s`, `1.5s`, `6m0s`, `1h0m0s`.
 *
 * @param ms milliseconds, ≥ 0; a fraction is rounded up
 */
export function formatDuration(ms: number): string {
  const whole = Math.ceil(ms)
  if (whole === 0) return '0s'
  if (whole < 1_000) return `${whole}ms`
  const hours = Math.floor(whole / hourMs)
  const minutes = Math.floor(whole / 60_000) % 60
  const seconds = `${(whole % 60_000) / 1_000}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}
