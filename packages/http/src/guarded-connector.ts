import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { ResolveHost } from './resolve-host.ts'

/** A host turned out to be, or to contain, an address that is not allowed. The message is for logs, not for callers. */
class AddressRefused extends Error {
  override name = 'AddressRefused'
  readonly code = 'ERR_ADDRESS_REFUSED'
}

export interface GuardedConnectorOptions {
  /** Every address a name stands for; asked once for each connection. */
  readonly resolve: ResolveHost
  readonly isAllowed: (address: string) => boolean
  /** Milliseconds to open a connection, from the look-up to the end of the TLS handshake. */
  readonly connectTimeoutMs: number
}

/**
 * How undici opens connections: a name is resolved once, every address of it is checked, and only a checked address
 * is connected to, so a name that changes its mind in between changes nothing. One address that is not allowed among
 * several refuses them all.
 */
export function guardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { connectTimeoutMs: timeout, isAllowed } = options
  const connect = buildConnector({ timeout, allowH2: false, lookup: guardedLookup(options) })
  return (target, callback) => {
    // node asks no resolver about a literal, so it is judged here
    const literal = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) === 0 || isAllowed(literal)) return connect(target, callback)
    process.nextTick(callback, new AddressRefused(`${literal} may not be connected to`), null)
  }
}

function guardedLookup({ resolve, isAllowed }: GuardedConnectorOptions): LookupFunction {
  return (hostname, { all }, callback) => {
    checkedAddresses(hostname, resolve, isAllowed).then(
      ([first, ...others]) => {
        if (all === true) callback(null, [first, ...others])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, []),
    )
  }
}

async function checkedAddresses(
  hostname: string,
  resolve: ResolveHost,
  isAllowed: (address: string) => boolean,
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(hostname)
  const wrong = addresses.find((address) => isIP(address) === 0 || !isAllowed(address))
  if (wrong !== undefined) throw new AddressRefused(`${hostname} stands for ${wrong}, which may not be connected to`)
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }))
  if (first === undefined) throw new Error(`${hostname} stands for no address`)
  return [first, ...others]
}
