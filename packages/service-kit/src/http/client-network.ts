import { isIP, isIPv6 } from 'node:net'

/**
 * What limits by address count together. Who has one address of IPv6 has a network of 2^64, so these count as one: `2001:db8:0:1::/64`.
 * An address of IPv4 counts alone, also one that is written as IPv6. Null for a text that is no address.
 */
export function clientNetwork(address: string): string | null {
  if (isIP(address) === 0) return null
  if (!isIPv6(address)) return address
  const mapped = /^(?:0*:)*?:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const before = groupsOf(head)
  const after = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** An IPv4 address at the end stands for two groups, which are never among the first four. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
}
