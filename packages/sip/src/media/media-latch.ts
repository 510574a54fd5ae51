import type { HostPort } from '../ports.ts'

/** Decides whose packets belong to a call, and where ours go (symmetric RTP, RFC 4961). */
export interface MediaLatch {
  /** @returns whether a valid packet from there belongs to the call */
  accept(from: HostPort): boolean
  /** Where our packets go: to where theirs come from, and before the first to where their description says. */
  readonly target: HostPort
  /** A new description of the other side; its next packet decides again. */
  reset(described: HostPort): void
}

/**
 * The described address always belongs to the call. Until a packet of it comes, the first packet from another address of the
 * peer decides, as behind a NAT. Packets from anywhere else are left out. With a new description the address before no longer
 * counts, because its last packets may still be on their way.
 *
 * @param isPeer whether a host belongs to the trunk of the call
 */
export function createMediaLatch(described: HostPort, isPeer: (host: string) => boolean): MediaLatch {
  let expected: HostPort = { host: described.host, port: described.port }
  let latched: HostPort | null = null
  let former: HostPort | null = null
  return {
    accept(from) {
      if (isSame(from, expected)) latched = expected
      if (latched !== null) return isSame(from, latched)
      if (former !== null && isSame(from, former)) return false
      if (from.host !== expected.host && !isPeer(from.host)) return false
      latched = { host: from.host, port: from.port }
      return true
    },
    get target() {
      return latched ?? expected
    },
    reset(next) {
      if (isSame(next, expected)) return
      expected = { host: next.host, port: next.port }
      former = latched ?? former
      latched = null
    },
  }
}

function isSame(a: HostPort, b: HostPort): boolean {
  return a.host === b.host && a.port === b.port
}
