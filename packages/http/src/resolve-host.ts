import { lookup, Resolver } from 'node:dns/promises'

/**
 * Returns every address of a host.
 *
 * @throws Error when there is none or no server answers
 */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

/** Milliseconds until a name server must answer, and the number of attempts. */
const resolverOptions = { timeout: 2_000, tries: 2 }

/**
 * Uses only the name servers: no hosts file and no search domains, so that a name has its public meaning. Node's own
 * resolution would also block one of four threads for as long as a hostile name server likes.
 *
 * @param servers addresses with ports; by default those of the machine
 */
export function publicResolver(servers?: readonly string[]): ResolveHost {
  return async (hostname) => {
    const resolver = new Resolver(resolverOptions)
    if (servers !== undefined) resolver.setServers(servers)
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
    return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

/** Resolves like every program of this machine, for hosts that the operator named. */
export const resolveLocally: ResolveHost = async (hostname) => {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}
