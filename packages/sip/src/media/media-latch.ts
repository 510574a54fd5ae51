import type { HostPort } from '../ports.ts'

/** Decides whose packets belong to a call, and where ours go (symmetric RTP, RFC 4961). */
export interface MediaLatch {
  /** @returns whether a valid packet from there belongs to the call */
  accept(from: HostPort): boolean
  /**
   * Where our packets go: to where theirs come from, and before the first to where their description says; null when that is
   * no address to which we send.
   */
  readonly target: HostPort | null
  /** A new description of the other side; its next packet decides again. */
  reset(described: HostPort): void
}

/** Who may be sent audio. */
export interface MediaPeers {
  /** Whether a host belongs to the trunk of the call. */
  isPeer(host: string): boolean
  /** Whether packets may be sent to a host that the description names but that is none of the trunk. Never for a name. */
  mayReach(host: string): boolean
}

/** Below are ports of services, such as of names and of time, and none of audio. */
const lowestPort = 1_024

/**
 * The described address belongs to the call when it is one of the trunk or may be reached: the other side writes it, and it must
 * lead no packets into the network of the fleet. Until a packet of it comes, the first packet from another address of the peer
 * decides, as behind a NAT. Packets from anywhere else are left out. With a new description the address before no longer counts,
 * because its last packets may still be on their way.
 */
export function createMediaLatch(first: HostPort, { isPeer, mayReach }: MediaPeers): MediaLatch {
  const usable = ({ host, port }: HostPort): HostPort | null =>
    port >= lowestPort && (isPeer(host) || mayReach(host)) ? { host, port } : null
  let described = first
  let expected = usable(first)
  let latched: HostPort | null = null
  let former: HostPort | null = null
  return {
    accept(from) {
      if (expected !== null && isSame(from, expected)) latched = expected
      if (latched !== null) return isSame(from, latched)
      if (former !== null && isSame(from, former)) return false
      if (from.host !== expected?.host && !isPeer(from.host)) return false
      latched = { host: from.host, port: from.port }
      return true
    },
    get target() {
      return latched ?? expected
    },
    reset(next) {
      if (isSame(next, described)) return
      described = next
      expected = usable(next)
      former = latched ?? former
      latched = null
    },
  }
}

function isSame(a: HostPort, b: HostPort): boolean {
  return a.host === b.host && a.port === b.port
}
