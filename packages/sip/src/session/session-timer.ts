import { parseParams, splitOutsideQuotes } from '../message/header-values.ts'
import { listHeader } from '../message/parse-message.ts'
import { headerOf, type SipHeader, type SipMessage } from '../message/sip-message.ts'

/** Ends calls whose other side is gone without a word (RFC 4028). */
export interface SessionTimer {
  readonly intervalSeconds: number
  /** Whether we send the refreshes. */
  readonly isOurs: boolean
}

/** Shortest interval that is taken, in seconds, as in the RFC. */
export const minIntervalSeconds = 90
const intervalSeconds = 1_800

/** Headers of an INVITE of ours. */
export function offerTimer(interval = intervalSeconds): SipHeader[] {
  return [
    { name: 'supported', value: 'timer' },
    { name: 'session-expires', value: String(interval) },
    { name: 'min-se', value: String(minIntervalSeconds) },
  ]
}

/** What an INVITE or UPDATE asks for. `too_short`: it is refused with 422. */
export function answerTimer(request: SipMessage): SessionTimer | 'too_short' | null {
  const supports = listHeader(request.headers, 'supported').includes('timer')
  const asked = readExpires(request)
  if (asked === null) return supports ? { intervalSeconds, isOurs: true } : null
  if (asked.seconds < minIntervalSeconds) return supports ? 'too_short' : null
  return { intervalSeconds: asked.seconds, isOurs: !supports || asked.refresher === 'uas' }
}

/** Headers of our answer to it. */
export function timerHeaders(timer: SessionTimer | null): SipHeader[] {
  if (timer === null) return []
  const refresher = timer.isOurs ? 'uas' : 'uac'
  const expires = { name: 'session-expires', value: `${timer.intervalSeconds};refresher=${refresher}` }
  return timer.isOurs ? [expires] : [{ name: 'require', value: 'timer' }, expires]
}

/** What an answer to an INVITE of ours says. */
export function acceptedTimer(response: SipMessage): SessionTimer | null {
  const expires = readExpires(response)
  return (
    expires && { intervalSeconds: Math.max(minIntervalSeconds, expires.seconds), isOurs: expires.refresher !== 'uas' }
  )
}

/** When the timer acts: a refresh at half of the interval; an end shortly before its end (RFC 4028, section 10). */
export function timerDelayMs({ intervalSeconds: interval, isOurs }: SessionTimer): number {
  return 1_000 * (isOurs ? interval / 2 : interval - Math.min(32, interval / 3))
}

function readExpires(message: SipMessage): { readonly seconds: number; readonly refresher: string | null } | null {
  const [digits = '', ...params] = splitOutsideQuotes(headerOf(message, 'session-expires') ?? '', ';')
  if (!/^\d{1,6}$/.test(digits)) return null
  return { seconds: Number(digits), refresher: parseParams(params).get('refresher')?.toLowerCase() ?? null }
}

/** The shortest interval that a peer takes, of its answer 422, in seconds. */
export function minimumOf(response: SipMessage): number | null {
  const digits = headerOf(response, 'min-se')?.split(';')[0]?.trim() ?? ''
  return /^\d{1,6}$/.test(digits) ? Math.max(minIntervalSeconds, Number(digits)) : null
}
