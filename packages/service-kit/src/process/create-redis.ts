import { Redis } from 'ioredis'
import { backoff } from '../timing/backoff.ts'
import type { Lifecycle } from './run-process.ts'

export interface RedisConnection extends Pick<Lifecycle, 'onStop'> {
  readonly url: string
  /** Milliseconds until a command fails. */
  readonly commandTimeoutMs: number
  /** Milliseconds until an attempt to connect fails. */
  readonly connectTimeoutMs?: number
  /** How often a command is retried after its connection broke. */
  readonly retriesPerCommand?: number
  /** Whether commands wait for a connection; otherwise they fail immediately while Redis is unavailable. */
  readonly waitsForConnection?: boolean
  /** Maximum milliseconds between attempts to connect. */
  readonly maxReconnectMs?: number
  readonly onError: (error: Error) => void
}

/** A connection that reconnects when it breaks, and closes when its process stops. */
export function createRedis(connection: RedisConnection): Redis {
  const { url, commandTimeoutMs, connectTimeoutMs = 1_000, maxReconnectMs = 1_000 } = connection
  const redis = new Redis(url, {
    enableOfflineQueue: connection.waitsForConnection ?? false,
    maxRetriesPerRequest: connection.retriesPerCommand ?? 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (attempt) => reconnectDelayMs(attempt, maxReconnectMs),
  })
  redis.on('error', connection.onError)
  connection.onStop(() => redis.disconnect())
  return redis
}

/** Milliseconds before attempt 1, 2, … to connect again. */
export function reconnectDelayMs(attempt: number, maxMs = 1_000): number {
  return backoff(attempt - 1, { firstMs: 100, maxMs })
}
