import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses that are routed like public ones but belong to the local infrastructure. */
const privateInDisguise: readonly string[] = ['168.63.129.16'] // the wire server of Azure, with metadata and credentials

/** The publicly routed part of IPv6. */
const globalUnicast = ipaddr.IPv6.parse('2000::')
const globalUnicastBits = 3
/** RFC 6052's well-known prefix, through which a network without IPv4 reaches IPv4 addresses. */
const nat64 = ipaddr.IPv6.parse('64:ff9b::')
const nat64Bits = 96

/**
 * True for an address of the public internet, so that a connection to it reaches nothing internal. IPv4 addresses
 * inside IPv6 ones (mapped, NAT64) are checked as IPv4. Addresses with a special purpose, including old tunnels, are
 * not public.
 *
 * @param address canonical text, as a resolver or a URL returns it; with a zone or in any other form it is not public
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

/** Without dotted IPv4 at the end, because ipaddr.js reads `::1.2.3.4` as the mapped `::ffff:1.2.3.4`. */
function inHex(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}
