import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import type { KeyIdentity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { BatchQueueFull, createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import type { EdgeEvents } from '../events.ts'
import { createFailureLimiter } from './failure-limiter.ts'
import type { KeyLease } from './key-lease.ts'
import type { FoundKey, KeyStore } from './key-store.ts'
import { createRecentSet } from './recent-set.ts'
import { createUnknownKeys } from './unknown-keys.ts'

export interface KeyVerifier {
  /**
   * Returns the identity of a key. Changes whose command returned before the call are in it.
   *
   * @throws ServiceError `invalid_api_key`; `rate_limit_exceeded` for an unknown key from an address that
   *   tried too many; `service_unavailable` when the read fails or exceeds its deadline.
   */
  verify(key: string | null, address: string): Promise<KeyIdentity>
}

export interface KeyVerifierOptions {
  readonly store: KeyStore
  readonly lease: Pick<KeyLease, 'find' | 'beforeRead' | 'fill' | 'isValid'>
  readonly keyPrefix: string
  readonly events: EdgeEvents
  readonly now: () => Date
  /** Unknown keys that one address may try in ten seconds. */
  readonly unknownKeysPerAddress: number
  /** Milliseconds without any answer of the store after which reads fail. */
  readonly silenceMs: number
  /** Milliseconds for which the reads of suspicious addresses are collected into one statement. */
  readonly suspiciousPauseMs?: number
}

const maxRemembered = 10_000
const failureWindowMs = 10_000
const maxQueued = 5_000
/** Maximum milliseconds of a read while the store answers other reads. */
const longestLookUpMs = 2_000

/**
 * While the edge holds its lease, keys that it read are answered from memory. Other keys are read; requests that arrive
 * together share a statement. Unknown keys can only be refused or delayed by what is remembered: a key that was unknown
 * within the last five seconds, and no key has changed since, is refused without a read, and the reads of an address with many unknown keys are
 * collected, so that guessing causes a limited number of statements. Keys that were valid before are never delayed, so
 * that other users of the same address (a proxy, a NAT) are not affected.
 */
export function createKeyVerifier(options: KeyVerifierOptions): KeyVerifier {
  const { store, lease, keyPrefix, events, now, silenceMs, suspiciousPauseMs = 50 } = options
  const pulse = createHeartbeat()
  const lookUpAlive = async (hashes: readonly string[]) => {
    const found = await lookUp(store, hashes)
    pulse.beat()
    return found
  }
  const unknown = createUnknownKeys(lease, maxRemembered)
  const seenValid = createRecentSet(maxRemembered)
  const limiter = createFailureLimiter({
    failures: options.unknownKeysPerAddress,
    windowMs: failureWindowMs,
    maxAddresses: maxRemembered,
  })
  const lane = createGroupCommit({ run: lookUpAlive, overlapAfterMs: 20, maxQueued })
  const slowLane = createGroupCommit({
    maxInFlight: 1,
    maxQueued: 200,
    run: async (hashes: readonly string[]) => {
      await sleep(suspiciousPauseMs)
      return lookUpAlive(hashes)
    },
  })

  function settle(keyHash: string, address: string, { identity, readSince }: Reading): KeyIdentity {
    const nowMs = now().getTime()
    if (identity !== null) {
      if (!seenValid.has(keyHash, nowMs)) seenValid.add(keyHash, nowMs)
      return identity
    }
    seenValid.delete(keyHash)
    unknown.add(keyHash, nowMs, readSince)
    const retryAfterSeconds = limiter.fail(address, nowMs)
    if (retryAfterSeconds !== null) throw limited(events, retryAfterSeconds)
    throw refused(events, 'unknown')
  }

  return {
    async verify(key, address) {
      if (key === null || !isWellFormedApiKey(keyPrefix, key)) throw refused(events, 'malformed')
      const keyHash = hash('sha256', key, 'hex')
      const remembered = lease.find(keyHash)
      if (remembered !== null) {
        events.keyRemembered()
        return remembered
      }
      const nowMs = now().getTime()
      if (unknown.has(keyHash, nowMs)) throw refused(events, 'recently-unknown')
      const isSuspicious = limiter.isOver(address, nowMs) && !seenValid.has(keyHash, nowMs)
      const readSince = lease.beforeRead()
      const looking = (isSuspicious ? slowLane : lane).add(keyHash)
      const onLate = (ms: number) => new Error(`no answer in ${Math.round(ms)} ms`)
      const deadline = { silenceMs, maxMs: longestLookUpMs, pulse, onLate }
      const found = await withTimeout(looking, deadline).catch((cause) => {
        if (isSuspicious && cause instanceof BatchQueueFull) throw limited(events, failureWindowMs / 1000)
        throw unavailable(events, cause)
      })
      events.keyLookedUp()
      if (found === null) return settle(keyHash, address, { identity: null, readSince })
      const { expiresAtMs, ...identity } = found
      lease.fill(keyHash, identity, readSince, expiresAtMs)
      return settle(keyHash, address, { identity, readSince })
    },
  }
}

interface Reading {
  readonly identity: KeyIdentity | null
  /** What `beforeRead` of the lease returned before it. */
  readonly readSince: number
}

/** Reads a batch in one statement, each key once. */
async function lookUp(store: KeyStore, hashes: readonly string[]): Promise<(FoundKey | null)[]> {
  const found = await store.find([...new Set(hashes)])
  return hashes.map((keyHash) => found.get(keyHash) ?? null)
}

/** The same body for every kind of invalid key, so that an answer reveals nothing about the key. */
function refused(events: EdgeEvents, reason: Parameters<EdgeEvents['keyRefused']>[0]): ServiceError {
  events.keyRefused(reason)
  return new ServiceError('invalid_api_key', 'The API key is missing, malformed or revoked.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function limited(events: EdgeEvents, retryAfterSeconds: number): ServiceError {
  events.addressLimited()
  return new ServiceError('rate_limit_exceeded', 'Too many unknown API keys from this address.', { retryAfterSeconds })
}

function unavailable(events: EdgeEvents, cause: unknown): ServiceError {
  events.keyLookupFailed()
  return new ServiceError('service_unavailable', 'The API key could not be checked. Retry.', {
    retryAfterSeconds: 1,
    cause,
  })
}
