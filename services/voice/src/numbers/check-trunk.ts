import { isIP } from 'node:net'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { checkBaseUrl } from '@ratchet/http/check-base-url'
import { isPublicAddress } from '@ratchet/http/is-public-address'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import type { NumberTrunk } from './number.ts'

/** @returns addresses of a name, at best one. @throws when it has none */
export type Resolve = (host: string) => Promise<string>

export interface TrunkRules {
  /** Hosts that workspaces may reach. */
  readonly rules: BaseUrlRules
  readonly resolve: Resolve
}

const usualPort = 5_060
/** Ports of SIP that a public trunk may have. */
const lastPort = 5_090
/** The largest network that a trunk may have: one of a carrier, not of everybody. */
const fewestBits = { 4: 22, 6: 48 } as const

const shape = /^sip:(\[[^\]]+\]|[^:]+)(?::(\d+))?$/

/**
 * The address that a trunk has.
 *
 * @throws ServiceError `invalid_request` for one that is not public and that the operator did not allow
 */
export async function targetOf(terminationUri: string, deps: TrunkRules): Promise<NumberTrunk['target']> {
  const [, name = '', portText = String(usualPort)] = shape.exec(terminationUri) ?? []
  const host = name.replace(/^\[|\]$/g, '').toLowerCase()
  const port = Number(portText)
  const isAllowed = isAllowedByOperator(host, deps.rules)
  const isUsual = port >= usualPort && port <= lastPort
  if (port < 1_024 || port > 65_535 || !(isUsual || isAllowed)) {
    throw wrongTarget(`its port must be ${usualPort} to ${lastPort}`)
  }
  if (!isAllowed) {
    // The rules of hosts are those of every address of a workspace.
    const bracketed = isIP(host) === 6 ? `[${host}]` : host
    const checked = checkBaseUrl(`https://${bracketed}`, deps.rules)
    if (checked.kind === 'refused') throw wrongTarget(checked.reason)
  }
  const address = isIP(host) === 0 ? await deps.resolve(host).catch(() => null) : host
  if (address === null) throw wrongTarget(`the name ${host} has no address`)
  if (!isAllowed && !isPublicAddress(address)) throw wrongTarget(`the address of ${host} is not public`)
  return { host: address, port }
}

/** @throws ServiceError `invalid_request` for what is no address or network, is too large, or is not public */
export function checkAddresses(allowedIps: readonly string[], { rules }: Pick<TrunkRules, 'rules'>): void {
  for (const text of allowedIps) {
    const problem = addressProblem(text, rules)
    if (problem === null) continue
    throw invalidRequest('sip.allowed_ips', `\`sip.allowed_ips\`: ${text} ${problem}.`)
  }
}

function addressProblem(text: string, rules: BaseUrlRules): string | null {
  const [host = '', bitsText] = text.split('/')
  const version = isIP(host)
  if (version !== 4 && version !== 6) return 'is not an IP address or a network'
  const most = version === 4 ? 32 : 128
  const bits = bitsText === undefined ? most : Number(bitsText)
  if (bits > most) return 'is not a network'
  if (bits < fewestBits[version]) return `is too large; a network must have at least ${fewestBits[version]} bits`
  if (isAllowedByOperator(host, rules) && bits === most) return null
  return isPublicAddress(host) ? null : 'is not public'
}

function isAllowedByOperator(host: string, { allowedHosts, loopbackHttp = false }: BaseUrlRules): boolean {
  return allowedHosts.has(host) || (loopbackHttp && (host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)))
}

function wrongTarget(reason: string): Error {
  return invalidRequest('sip.termination_uri', `\`sip.termination_uri\` is not allowed: ${reason}.`)
}
