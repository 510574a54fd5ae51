import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { ResolveHost } from './resolve-host.ts'

/** A host has an address that is not allowed. The message is for logs, not for clients. */
class AddressRefused extends Error {
  override name = 'AddressRefused'
  readonly code = 'ERR_ADDRESS_REFUSED'
}

export interface GuardedConnectorOptions {
  /** Returns every address of a name. It is called once per connection. */
  readonly resolve: ResolveHost
  readonly isAllowed: (address: string) => boolean
  /** Milliseconds to open a connection, from the name resolution to the end of the TLS handshake. */
  readonly connectTimeoutMs: number
}

/**
 * Opens the connections of undici. A name is resolved once, every address of it is checked, and only a checked address
 * is connected to, so a name whose addresses change in between cannot pass the check. A single address that is not
 * allowed refuses them all.
 */
export function guardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { connectTimeoutMs: timeout, isAllowed } = options
  const connect = buildConnector({ timeout, allowH2: false, lookup: guardedLookup(options) })
  return (target, callback) => {
    // Node resolves no literal address, so it is checked here.
    const literal = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) === 0 || isAllowed(literal)) return connect(target, callback)
    process.nextTick(callback, new AddressRefused(`${literal} is not a public address`), null)
  }
}

/** Resolves a name, once, to checked addresses. */
export function guardedLookup({
  resolve,
  isAllowed,
}: Pick<GuardedConnectorOptions, 'resolve' | 'isAllowed'>): LookupFunction {
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
  if (wrong !== undefined) throw new AddressRefused(`${hostname} has the address ${wrong}, which is not public`)
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }))
  if (first === undefined) throw new Error(`${hostname} has no address`)
  return [first, ...others]
}
