import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses that are routed like public ones and yet belong to the machine's own surroundings. */
const privateInDisguise: readonly string[] = ['168.63.129.16'] // Azure's wire server: metadata and credentials

/** All of IPv6 that is routed in public. */
const globalUnicast = ipaddr.IPv6.parse('2000::')
const globalUnicastBits = 3
/** RFC 6052's well-known prefix: how a network without IPv4 reaches the IPv4 addresses of the world. */
const nat64 = ipaddr.IPv6.parse('64:ff9b::')
const nat64Bits = 96

/**
 * Whether an address is one of the public internet, so that connecting to it reaches nothing of ours. IPv4 addresses
 * inside IPv6 ones (mapped, NAT64) are judged as what they stand for; everything that has a special purpose, old
 * tunnels among it, is not public.
 *
 * @param address canonical text, as a resolver or a URL gives it; with a zone, or anything else, it is not public
 * @see IANA's special-purpose address registries (RFC 6890)
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return isPublicV4(ipaddr.IPv4.parse(address))
    case 6:
      return !address.includes('%') && isPublicV6(ipaddr.IPv6.parse(inHex(address)))
    default:
      return false
  }
}

function isPublicV4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !privateInDisguise.includes(address.toString())
}

function isPublicV6(address: ipaddr.IPv6): boolean {
  if (address.isIPv4MappedAddress() || address.match(nat64, nat64Bits)) return isPublicV4(embeddedV4(address))
  return address.match(globalUnicast, globalUnicastBits) && address.range() === 'unicast'
}

function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

/** Without dotted IPv4 at the end: ipaddr.js reads `::1.2.3.4` as the mapped `::ffff:1.2.3.4`. */
function inHex(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}
