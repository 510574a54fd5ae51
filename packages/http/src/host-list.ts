/**
 * Reads a comma-separated list of host names, as `BYOK_ALLOWED_HOSTS` has it. Each stands for exactly that host, on
 * any port; IPv6 addresses are written without brackets.
 *
 * @throws RangeError for an entry that is no host: one with a scheme, a port, a path or a wildcard
 */
export function parseHostList(text: string): ReadonlySet<string> {
  const hosts = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
  const wrong = hosts.find((host) => !isHost(host))
  if (wrong !== undefined) throw new RangeError(`not a host name: ${wrong}`)
  return new Set(hosts)
}

/** A host is one when a URL spells it the same way. */
function isHost(host: string): boolean {
  const inUrl = host.includes(':') ? `[${host}]` : host
  return (
    /^[a-z0-9_.:-]+$/.test(host) && URL.canParse(`https://${inUrl}/`) && new URL(`https://${inUrl}/`).host === inUrl
  )
}
