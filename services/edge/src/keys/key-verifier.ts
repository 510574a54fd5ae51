import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import type { Identity } from '@ratchet/contracts/identity'
import { BatchQueueFull, createGroupCommit } from '@ratchet/service-kit/group-commit'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/with-timeout'
import type { KeyStore } from '../domain/key-store.ts'
import type { EdgeEvents } from '../events.ts'
import { createFailureLimiter } from './failure-limiter.ts'
import { createRecentSet } from './recent-set.ts'

export interface KeyVerifier {
  /**
   * Who a key acts for, as the database has it now.
   *
   * @throws ServiceError `invalid_api_key`; `rate_limit_exceeded` for an unknown key from an address that
   *   tried too many; `service_unavailable` when the look-up fails or takes longer than the deadline.
   */
  verify(key: string | null, address: string): Promise<Identity>
}

export interface KeyVerifierOptions {
  readonly store: KeyStore
  readonly keyPrefix: string
  readonly events: EdgeEvents
  readonly now: () => Date
  /** Unknown keys that one address may try in ten seconds. */
  readonly unknownKeysPerAddress: number
  /** Milliseconds of silence from the store after which look-ups count as failed. */
  readonly silenceMs: number
  /** Milliseconds that look-ups for suspicious addresses are gathered. */
  readonly suspiciousPauseMs?: number
}

const unknownKeyTtlMs = 5_000
const maxRemembered = 10_000
const failureWindowMs = 10_000
const maxQueued = 5_000
/** Milliseconds that a look-up may take of a store that is alive but busy. */
const longestLookUpMs = 2_000

/**
 * Every key is looked up for every request; requests that arrive together share a statement. What is
 * remembered can only refuse or slow down: keys found unknown within five seconds are refused without
 * asking again, and an address with many unknown keys has its look-ups gathered into a slow lane, so
 * that guessing costs the database a bounded rate. Keys seen valid never wait there, so those who
 * share the address of a guesser (a proxy, a NAT) notice nothing.
 */
export function createKeyVerifier(options: KeyVerifierOptions): KeyVerifier {
  const { store, keyPrefix, events, now, silenceMs, suspiciousPauseMs = 50 } = options
  const pulse = createHeartbeat()
  const lookUpAlive = async (hashes: readonly string[]) => {
    const found = await lookUp(store, hashes)
    pulse.beat()
    return found
  }
  const unknown = createRecentSet(maxRemembered, unknownKeyTtlMs)
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

  function settle(keyHash: string, address: string, identity: Identity | null): Identity {
    const nowMs = now().getTime()
    if (identity !== null) {
      if (!seenValid.has(keyHash, nowMs)) seenValid.add(keyHash, nowMs)
      return identity
    }
    seenValid.delete(keyHash)
    unknown.add(keyHash, nowMs)
    const retryAfterSeconds = limiter.fail(address, nowMs)
    if (retryAfterSeconds !== null) throw limited(events, retryAfterSeconds)
    throw refused(events, 'unknown')
  }

  return {
    async verify(key, address) {
      if (key === null || !isWellFormedApiKey(keyPrefix, key)) throw refused(events, 'malformed')
      const keyHash = hash('sha256', key, 'hex')
      const nowMs = now().getTime()
      if (unknown.has(keyHash, nowMs)) throw refused(events, 'recently-unknown')
      const isSuspicious = limiter.isOver(address, nowMs) && !seenValid.has(keyHash, nowMs)
      const looking = (isSuspicious ? slowLane : lane).add(keyHash)
      const onLate = (ms: number) => new Error(`no answer in ${Math.round(ms)} ms`)
      const deadline = { silenceMs, maxMs: longestLookUpMs, pulse, onLate }
      const identity = await withTimeout(looking, deadline).catch((cause) => {
        if (isSuspicious && cause instanceof BatchQueueFull) throw limited(events, failureWindowMs / 1000)
        throw unavailable(events, cause)
      })
      return settle(keyHash, address, identity)
    },
  }
}

/** One statement for a batch; a key that came several times is asked for once. */
async function lookUp(store: KeyStore, hashes: readonly string[]): Promise<(Identity | null)[]> {
  const found = await store.find([...new Set(hashes)])
  return hashes.map((keyHash) => found.get(keyHash) ?? null)
}

/** One body for every way a key can be wrong, so that an answer tells nothing about the key. */
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
  return new ServiceError('service_unavailable', 'The API key cannot be checked at the moment.', {
    retryAfterSeconds: 1,
    cause,
  })
}
