import type { KeyIdentity } from '@ratchet/contracts/identity'
import { createRememberedKeys } from './remembered-keys.ts'

/*
 * The edge's half of the protocol of docs/adr/0027-edges-hold-leases-on-keys.md, without stores and clocks:
 * `renew-lease.ts` sends its requests, `packages/db/src/lease-wait.ts` is the other half.
 */

/** Milliseconds after a request was sent until the lease that it renews ends here. Others wait a tenth longer. */
export const leaseLastsMs = 2_700
/** By how many milliseconds the wall clock may move against the monotonic clock, which stands still in a suspended VM. */
const maxClockJumpMs = 1_000

/** Two readings of the same moment. */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

/** The next statement of an edge. What it has applied is acknowledged with it. */
export type LeaseRequest =
  | { readonly kind: 'join'; readonly leaseId: string; readonly sentAt: Moment }
  | { readonly kind: 'renew'; readonly leaseId: string; readonly sentAt: Moment; readonly ackedVersion: number }

/** What changed since the acknowledged version. */
export interface KeyChanges {
  /** The newest version that the statement saw; every older one was visible too. */
  readonly version: number
  /** The oldest version that is still stored; null: none is. */
  readonly oldestVersion: number | null
  /** Whose keys changed; null: all. */
  readonly userIds: readonly (string | null)[]
}

/** Keys that were read before, and the lease that allows to answer from them. */
export interface KeyLease {
  /** The identity of a key that has not expired, if the lease is valid at this moment. To be used at once, without waiting for anything. */
  find(keyHash: string): KeyIdentity | null
  /** To be called before a key is read. What it returns is passed to `fill` with the result. */
  beforeRead(): number
  /**
   * Remembers a key, unless anything was applied since `beforeRead`: the result may be older than that.
   *
   * @param expiresAtMs by the wall clock; absent for a key that does not expire
   */
  fill(keyHash: string, identity: KeyIdentity, readSince: number, expiresAtMs?: number): void
  isValid(): boolean
  /** How often keys were asked for, found or not. */
  readonly uses: number
  /** @param newLeaseId used if the edge has no lease; never used twice */
  nextRequest(newLeaseId: string): LeaseRequest
  /**
   * Applies the answer to a request. Requests are sent one after the other.
   *
   * @param changes null: the lease does not exist any more
   * @returns whether the next request should be sent at once
   */
  receive(request: LeaseRequest, changes: KeyChanges | null): boolean
  /** Gives up the lease. Returns its id, if there was one. */
  end(): string | null
}

export interface KeyLeaseOptions {
  readonly maxKeys: number
  readonly monotonicMs: () => number
  readonly wallMs: () => number
}

export function createKeyLease({ maxKeys, monotonicMs, wallMs }: KeyLeaseOptions): KeyLease {
  const keys = createRememberedKeys(maxKeys)
  let leaseId: string | null = null
  let renewedAt: Moment | null = null
  let appliedVersion = 0
  let uses = 0

  function isValid(): boolean {
    if (renewedAt === null) return false
    const byMonotonic = monotonicMs() - renewedAt.monotonicMs
    const byWall = wallMs() - renewedAt.wallMs
    if (Math.abs(byWall - byMonotonic) > maxClockJumpMs) {
      renewedAt = null
      keys.dropAll()
      return false
    }
    return byMonotonic < leaseLastsMs && byWall < leaseLastsMs
  }

  function apply({ version, oldestVersion, userIds }: KeyChanges): void {
    const isGap = oldestVersion === null || oldestVersion > appliedVersion + 1
    if (version < appliedVersion || isGap || userIds.includes(null)) keys.dropAll()
    else keys.dropUsers(new Set(userIds))
    appliedVersion = version
  }

  function end(): string | null {
    const ended = leaseId
    leaseId = null
    renewedAt = null
    keys.dropAll()
    return ended
  }

  return {
    isValid,
    get uses() {
      return uses
    },
    find(keyHash) {
      uses += 1
      const key = keys.get(keyHash)
      return key !== undefined && isValid() && wallMs() < key.expiresAtMs ? key.identity : null
    },
    beforeRead: () => keys.drops,
    fill(keyHash, identity, readSince, expiresAtMs = Number.POSITIVE_INFINITY) {
      if (leaseId !== null && readSince === keys.drops) keys.add(keyHash, { identity, expiresAtMs })
    },
    nextRequest(newLeaseId) {
      const sentAt = { monotonicMs: monotonicMs(), wallMs: wallMs() }
      if (leaseId === null) return { kind: 'join', leaseId: newLeaseId, sentAt }
      return { kind: 'renew', leaseId, sentAt, ackedVersion: appliedVersion }
    },
    receive(request, changes) {
      if (changes === null) {
        end()
        return true
      }
      const isNew = request.kind === 'join'
      if (isNew) {
        leaseId = request.leaseId
        appliedVersion = changes.version
        keys.dropAll()
      } else if (changes.version !== appliedVersion) apply(changes)
      renewedAt = request.sentAt
      return !isNew && request.ackedVersion !== appliedVersion
    },
    end,
  }
}
