import { isIP } from 'node:net'
import { isPublicAddress } from './is-public-address.ts'

/** Which hosts a base URL that a workspace brings may name. */
export interface BaseUrlRules {
  /** Whether any public host may be named; when not, only `allowedHosts`. */
  readonly customHosts: boolean
  /** Hosts the operator vouches for, in lower case, private ones too. They are matched exactly. */
  readonly allowedHosts: ReadonlySet<string>
  /** For tests: plain http to a loopback address. */
  readonly loopbackHttp?: boolean
}

export type CheckedBaseUrl =
  | {
      readonly kind: 'ok'
      /** Scheme, host and port. */
      readonly origin: string
      /** In lower case, IPv6 without brackets, no dot at the end. */
      readonly hostname: string
      /** Path without a slash at the end; empty for none. */
      readonly basePath: string
      /** The operator named this host, so its addresses need not be public. */
      readonly isVouchedFor: boolean
    }
  | { readonly kind: 'refused'; readonly reason: string }

const lengthMax = 500
const hostLengthMax = 253
const lowestPort = 1_024

const shape = /^(https?):\/\/([^/?#\\@]+)((?:\/[A-Za-z0-9._~-]+)*)\/?$/
const dotSegment = /(^|\/)\.{1,2}(\/|$)/
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Names that mean something of the local network, whatever a resolver says (RFC 6761, 6762, 7686, 8375). */
const localNames =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|onion|test|invalid|svc)$/

/**
 * Reads a base URL that somebody outside gave, or says why it cannot be one. This judges the text only; what a name
 * resolves to is judged when a connection is made ({@link createGuardedUpstream}).
 */
export function checkBaseUrl(text: string, rules: BaseUrlRules): CheckedBaseUrl {
  if (text.length > lengthMax) return refused(`it is longer than ${lengthMax} characters`)
  if (!/^[\x21-\x7e]+$/.test(text)) return refused('it may hold visible ASCII only; write other names in punycode')
  const [, scheme, , path = ''] = shape.exec(text) ?? []
  if (scheme === undefined) return refused(explainShape(text))
  if (dotSegment.test(path)) return refused('its path may not hold dot segments')
  if (!URL.canParse(text)) return refused('its host or port is not valid')
  const url = new URL(text)
  const hostname = plainHostname(url.hostname)
  const isVouchedFor = rules.allowedHosts.has(hostname) || isTestLoopback(hostname, rules)
  const hostReason = isVouchedFor ? null : hostProblem(hostname, rules)
  const reason = schemeProblem(scheme, hostname, rules) ?? portProblem(url) ?? hostReason
  if (reason !== null) return refused(reason)
  return { kind: 'ok', origin: originOf(url, hostname), hostname, basePath: path, isVouchedFor }
}

function explainShape(text: string): string {
  if (!/^https?:\/\//.test(text)) return 'it has to begin with https://'
  if (/[?#]/.test(text)) return 'it may have no query and no fragment'
  if (/^https?:\/\/[^/]*@/.test(text)) return 'it may hold no credentials'
  return 'it has to look like https://host/path'
}

function schemeProblem(scheme: string, hostname: string, rules: BaseUrlRules): string | null {
  if (scheme === 'https' || isTestLoopback(hostname, rules)) return null
  return 'its scheme has to be https'
}

function portProblem({ port }: URL): string | null {
  return port === '' || Number(port) >= lowestPort ? null : `its port has to be 443, or ${lowestPort} and above`
}

function hostProblem(hostname: string, { customHosts }: BaseUrlRules): string | null {
  if (isIP(hostname) !== 0) {
    if (!isPublicAddress(hostname)) return `the address ${hostname} is not public`
  } else if (hostname.length > hostLengthMax || !hostname.split('.').every((part) => label.test(part))) {
    return 'its host is not a valid name'
  } else if (!hostname.includes('.') || localNames.test(hostname)) {
    return `the name ${hostname} is a local one`
  }
  return customHosts ? null : `the host ${hostname} is not one that the operator allows`
}

function isTestLoopback(hostname: string, { loopbackHttp = false }: BaseUrlRules): boolean {
  return loopbackHttp && (hostname === 'localhost' || hostname === '::1' || /^127\.\d+\.\d+\.\d+$/.test(hostname))
}

function plainHostname(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

function originOf(url: URL, hostname: string): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`
}

function refused(reason: string): CheckedBaseUrl {
  return { kind: 'refused', reason }
}
