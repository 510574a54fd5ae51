import { BlockList, isIP } from 'node:net'
import type { SipPeer } from '../ports.ts'
import type { DigestCredentials } from '../session/digest.ts'

/** A carrier or a telephone system that calls us and that we call. */
export interface SipTrunk {
  readonly id: string
  /** Who has it, such as a workspace: trunks of one owner share what an owner may take up. Absent: nobody with another trunk. */
  readonly owner?: string
  /** IP addresses and networks (`192.0.2.0/24`) from which its calls and its audio come. */
  readonly addresses: readonly string[]
  /** Where calls to it go. Its host is an IP address. */
  readonly target: SipPeer
  /** What its digest asks for; null when it knows us by our address. */
  readonly credentials: DigestCredentials | null
}

/** Who may talk to an agent. */
export interface Trunks {
  /** The trunk of an address, or null for strangers. */
  of(host: string): SipTrunk | null
  byId(id: string): SipTrunk | null
  /** The owner of the trunk of an address; empty for strangers. */
  ownerOf(host: string): string
  /** Whether an address belongs to a trunk. */
  isOf(trunk: SipTrunk, host: string): boolean
}

/** Addresses that are remembered. */
const maxAddresses = 10_000

/** @throws RangeError for what is no address or network */
export function createTrunks(trunks: readonly SipTrunk[]): Trunks {
  const all = new BlockList()
  for (const trunk of trunks) {
    for (const address of addressesOf(trunk)) add(all, address)
    listOf(trunk)
  }
  const isIn = (list: BlockList, host: string) => {
    const version = isIP(host)
    return version !== 0 && list.check(host, version === 6 ? 'ipv6' : 'ipv4')
  }
  /** Of addresses that have sent something: each trunk may have many, and there may be thousands of trunks. */
  const found = new Map<string, SipTrunk | null>()
  // Strangers cost one look-up.
  const of = (host: string): SipTrunk | null => {
    const known = found.get(host)
    if (known !== undefined) return known
    if (!isIn(all, host)) return null
    const trunk = trunks.find((each) => isIn(listOf(each), host)) ?? null
    if (found.size >= maxAddresses) found.clear()
    found.set(host, trunk)
    return trunk
  }
  return {
    of,
    ownerOf(host) {
      const trunk = of(host)
      return trunk?.owner ?? trunk?.id ?? ''
    },
    byId: (id) => trunks.find((trunk) => trunk.id === id) ?? null,
    isOf: (trunk, host) => isIn(listOf(trunk), host),
  }
}

const addressesOf = ({ addresses, target }: SipTrunk) => [...addresses, target.host]

/** Calls under way keep their trunk, also when it is none of the present ones. */
const listsOf = new WeakMap<SipTrunk, BlockList>()

function listOf(trunk: SipTrunk): BlockList {
  const known = listsOf.get(trunk)
  if (known !== undefined) return known
  const list = new BlockList()
  for (const address of addressesOf(trunk)) add(list, address)
  listsOf.set(trunk, list)
  return list
}

function add(list: BlockList, address: string): void {
  const [host = '', bits] = address.split('/')
  const version = isIP(host)
  const most = version === 6 ? 128 : 32
  const prefix = bits === undefined ? most : Number(bits)
  if (version === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most) {
    throw new RangeError(`addresses must be IP addresses or networks, got ${address}`)
  }
  list.addSubnet(host, prefix, version === 6 ? 'ipv6' : 'ipv4')
}

/** Limits what one address may send. */
export interface TokenBuckets {
  /** @returns false when the address has used up what it may send now */
  take(host: string, nowMs: number): boolean
}

/** The address that was quiet for longest is forgotten first. */
export function createTokenBuckets({
  perSecond,
  burst,
}: {
  readonly perSecond: number
  readonly burst: number
}): TokenBuckets {
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  return {
    take(host, nowMs) {
      const bucket = buckets.get(host) ?? { tokens: burst, atMs: nowMs }
      buckets.delete(host)
      buckets.set(host, bucket)
      if (buckets.size > maxAddresses) {
        const [oldest] = buckets.keys()
        if (oldest !== undefined) buckets.delete(oldest)
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) * perSecond) / 1_000)
      bucket.atMs = nowMs
      if (bucket.tokens < 1) return false
      bucket.tokens--
      return true
    },
  }
}
