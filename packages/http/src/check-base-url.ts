import { isIP } from 'node:net'
import { isPublicAddress } from './is-public-address.ts'

/** The hosts that a workspace may use in a base URL. */
export interface BaseUrlRules {
  /** Allows any public host when true, otherwise only `allowedHosts`. */
  readonly customHosts: boolean
  /** Hosts that the operator allows, in lower case, including private ones. They are matched exactly. */
  readonly allowedHosts: ReadonlySet<string>
  /** Allows plain http to a loopback address, for tests and fleets on a person's machine. */
  readonly loopbackHttp?: boolean
}

export type CheckedBaseUrl =
  | {
      readonly kind: 'ok'
      /** Scheme, host and port. */
      readonly origin: string
      /** In lower case, IPv6 without brackets, without a dot at the end. */
      readonly hostname: string
      /** Path without a slash at the end; empty for none. */
      readonly basePath: string
      /** True when the operator named this host, so that its addresses need not be public. */
      readonly isAllowedByOperator: boolean
    }
  | { readonly kind: 'refused'; readonly reason: string }

const lengthMax = 500
const hostLengthMax = 253
const lowestPort = 1_024

const shape = /^(https?):\/\/([^/?#\\@]+)((?:\/[A-Za-z0-9._~-]+)*)\/?$/
const dotSegment = /(^|\/)\.{1,2}(\/|$)/
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Names with a meaning in the local network, whatever a resolver returns (RFC 6761, 6762, 7686, 8375). */
const localNames =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|onion|test|invalid|svc)$/

/**
 * Reads a base URL from outside, or returns the reason why it is refused. It checks only the text. The addresses of the
 * host are checked when a connection is made ({@link createGuardedUpstream}).
 */
export function checkBaseUrl(text: string, rules: BaseUrlRules): CheckedBaseUrl {
  if (text.length > lengthMax) return refused(`it is longer than ${lengthMax} characters`)
  if (!/^[\x21-\x7e]+$/.test(text)) return refused('it must contain only visible ASCII; write other names in punycode')
  const [, scheme, , path = ''] = shape.exec(text) ?? []
  if (scheme === undefined) return refused(explainShape(text))
  if (dotSegment.test(path)) return refused('its path must not contain dot segments')
  if (!URL.canParse(text)) return refused('its host or port is not valid')
  const url = new URL(text)
  const hostname = plainHostname(url.hostname)
  const isAllowedByOperator = rules.allowedHosts.has(hostname) || isTestLoopback(hostname, rules)
  const hostReason = isAllowedByOperator ? null : hostProblem(hostname, rules)
  const reason = schemeProblem(scheme, hostname, rules) ?? portProblem(url) ?? hostReason
  if (reason !== null) return refused(reason)
  return { kind: 'ok', origin: originOf(url, hostname), hostname, basePath: path, isAllowedByOperator }
}

function explainShape(text: string): string {
  if (!/^https?:\/\//.test(text)) return 'it must begin with https://'
  if (/[?#]/.test(text)) return 'it must not have a query or a fragment'
  if (/^https?:\/\/[^/]*@/.test(text)) return 'it must not contain credentials'
  return 'it must look like https://host/path'
}

function schemeProblem(scheme: string, hostname: string, rules: BaseUrlRules): string | null {
  if (scheme === 'https' || isTestLoopback(hostname, rules)) return null
  return 'its scheme must be https'
}

function portProblem({ port }: URL): string | null {
  return port === '' || Number(port) >= lowestPort ? null : `its port must be 443, or ${lowestPort} and above`
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
