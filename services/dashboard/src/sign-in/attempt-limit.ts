import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** Attempts to sign in for one address or from one client, in a window. */
export interface AttemptCounter {
  /** Counts an attempt, and returns how many there were in the window, with the seconds until it ends. */
  add(key: string): Promise<{ readonly count: number; readonly endsInSeconds: number }>
  /** Forgets an attempt that succeeded. */
  take(key: string): Promise<void>
  /** Forgets all attempts. */
  clear(key: string): Promise<void>
}

/**
 * Failed attempts, before no further one is made. Strict for one client at one address, so that nobody guesses a password.
 * Wide for all clients at one address, and for one client at all addresses: so a stranger does not lock a person out, and
 * neither does who shares its network.
 */
export const maxAttempts: MaxAttempts = { perClientAndAddress: 5, perClient: 50, perAddress: 50 }
/** Requests of a client that write a row, or cost computing, before anybody signed in. */
export const maxBeginnings: MaxAttempts = { perClientAndAddress: 60, perClient: 60, perAddress: 60 }
/** Invitations, each of which may send a mail: of a workspace (as the client), and to an address. */
export const maxInvitations: MaxAttempts = { perClientAndAddress: 5, perClient: 60, perAddress: 10 }
export const windowSeconds = 600

/** Counts in this process. Used while Redis is unavailable. */
export function createMemoryCounter(nowMs: () => number, maxKeys = 10_000): AttemptCounter {
  const windows = new Map<string, { count: number; readonly endsAtMs: number }>()
  return {
    async add(key) {
      const now = nowMs()
      const found = windows.get(key)
      const window =
        found === undefined || found.endsAtMs <= now ? { count: 0, endsAtMs: now + windowSeconds * 1_000 } : found
      window.count += 1
      windows.delete(key)
      windows.set(key, window)
      if (windows.size > maxKeys) windows.delete(windows.keys().next().value as string)
      return { count: window.count, endsInSeconds: Math.ceil((window.endsAtMs - now) / 1_000) }
    },
    async take(key) {
      const window = windows.get(key)
      if (window !== undefined) window.count = Math.max(0, window.count - 1)
    },
    async clear(key) {
      windows.delete(key)
    },
  }
}

export interface Attempt {
  /** The e-mail address; null for a way to sign in without one. */
  readonly address: string | null
  /** The address of the client. */
  readonly client: string
}

export interface MaxAttempts {
  readonly perClientAndAddress: number
  readonly perClient: number
  readonly perAddress: number
}

/** Limits attempts to sign in by address and by client. */
export interface AttemptLimit {
  /** Counts an attempt before it is made. Returns the seconds to wait when there were too many, else null. */
  begin(attempt: Attempt): Promise<number | null>
  /** Only failed attempts count. */
  succeed(attempt: Attempt): Promise<void>
}

export interface AttemptLimitOptions {
  readonly counter: AttemptCounter
  /** So that addresses are not stored. */
  readonly hash: (text: string) => string
  readonly max: MaxAttempts
}

export function createAttemptLimit({ counter, hash, max }: AttemptLimitOptions): AttemptLimit {
  /** The narrowest first. */
  const limitsOf = ({ address, client }: Attempt) => {
    const ofClient = { key: `client:${hash(client)}`, max: max.perClient }
    if (address === null) return { both: null, wide: [ofClient] }
    return {
      both: { key: `both:${hash(JSON.stringify([client, address]))}`, max: max.perClientAndAddress },
      wide: [ofClient, { key: `address:${hash(address)}`, max: max.perAddress }],
    }
  }
  return {
    async begin(attempt) {
      const { both, wide } = limitsOf(attempt)
      // One after the other: what a limit refuses is no attempt for the wider ones, or who repeats it would lock out others.
      for (const { key, max } of both === null ? wide : [both, ...wide]) {
        const { count, endsInSeconds } = await counter.add(key)
        if (count > max) return Math.max(1, endsInSeconds)
      }
      return null
    },
    async succeed(attempt) {
      const { both, wide } = limitsOf(attempt)
      await Promise.all([
        ...wide.map(({ key }) => counter.take(key)),
        ...(both === null ? [] : [counter.clear(both.key)]),
      ])
    },
  }
}

/** @throws ServiceError 429 after too many attempts */
export async function requireAttempt(limit: AttemptLimit, attempt: Attempt): Promise<void> {
  const retryAfterSeconds = await limit.begin(attempt)
  if (retryAfterSeconds === null) return
  throw new ServiceError('rate_limit_exceeded', 'Too many attempts. Try again later.', { retryAfterSeconds })
}
