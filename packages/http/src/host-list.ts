/**
 * Reads a comma-separated list of host names, as in `BYOK_ALLOWED_HOSTS`. Each one allows exactly that host, on any
 * port; IPv6 addresses are written without brackets.
 *
 * @throws RangeError for an entry that is not a host: one with a scheme, a port, a path or a wildcard
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

/** A text is a host when a URL leaves it unchanged. */
function isHost(host: string): boolean {
  const inUrl = host.includes(':') ? `[${host}]` : host
  return (
    /^[a-z0-9_.:-]+$/.test(host) && URL.canParse(`https://${inUrl}/`) && new URL(`https://${inUrl}/`).host === inUrl
  )
}
