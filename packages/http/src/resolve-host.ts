import { lookup, Resolver } from 'node:dns/promises'

/** Every address of a host. @throws Error when there is none or nobody answers */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>

/** Milliseconds that a name server has for an answer, and how often it is asked. */
const resolverOptions = { timeout: 2_000, tries: 2 }

/**
 * Asks the name servers only: no hosts file, no search domains, so a name means what it means to the world. Node's
 * own look-up would also occupy one of four threads for as long as a hostile name server likes.
 *
 * @param servers addresses with ports; the machine's own when absent
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

/** Asks as every program of this machine does: for hosts that the operator named. */
export const resolveLocally: ResolveHost = async (hostname) => {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}
