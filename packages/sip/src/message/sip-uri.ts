import { parseHostPort, parseParams, type SipParams } from './header-values.ts'
import { SipParseError } from './sip-parse-error.ts'

/** RFC 3261, section 19.1. */
export interface SipUri {
  readonly scheme: 'sip' | 'sips'
  /** Without escapes and password; '' when there is none. */
  readonly user: string
  readonly host: string
  readonly port: number | null
  readonly params: SipParams
}

/** @throws SipParseError for what is no URI of SIP */
export function parseSipUri(text: string): SipUri {
  const colon = text.indexOf(':')
  const scheme = text.slice(0, Math.max(0, colon)).toLowerCase()
  if (scheme !== 'sip' && scheme !== 'sips') throw new SipParseError('uri', 'scheme')
  const query = text.indexOf('?')
  const rest = text.slice(colon + 1, query < 0 ? undefined : query)
  const at = rest.indexOf('@')
  const [address = '', ...params] = rest.slice(at + 1).split(';')
  const [user = ''] = rest.slice(0, Math.max(0, at)).split(':')
  return { scheme, user: unescapeUser(user), ...parseHostPort(address), params: parseParams(params) }
}

function unescapeUser(user: string): string {
  try {
    return decodeURIComponent(user)
  } catch {
    throw new SipParseError('uri', 'user')
  }
}
