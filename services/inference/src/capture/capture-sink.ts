import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'

/** One transport to the log. Never rejects: it returns the exchanges that it did not take, and the cause. */
export type CaptureSink = (exchanges: readonly CapturedExchange[]) => Promise<NotTaken>

export interface NotTaken {
  readonly left: readonly CapturedExchange[]
  readonly cause: unknown
}

/** Bytes of memory that an exchange uses while it waits. */
export function weightOf({ request, reply }: CapturedExchange): number {
  return request.length + reply.length + metaBytes
}

/** Approximate bytes of an exchange's metadata. */
const metaBytes = 1_000

/**
 * Sends exchanges in order, up to `maxBytes` at a time and at least one. After a failure the rest is not tried.
 *
 * @param send takes all or rejects
 */
export async function sendInChunks(
  exchanges: readonly CapturedExchange[],
  maxBytes: number,
  send: (chunk: readonly CapturedExchange[]) => Promise<unknown>,
): Promise<NotTaken> {
  let sent = 0
  try {
    while (sent < exchanges.length) {
      const end = endOfChunk(exchanges, sent, maxBytes)
      await send(exchanges.slice(sent, end))
      sent = end
    }
    return { left: [], cause: null }
  } catch (cause) {
    return { left: exchanges.slice(sent), cause }
  }
}

function endOfChunk(exchanges: readonly CapturedExchange[], start: number, maxBytes: number): number {
  let bytes = 0
  for (const [index, exchange] of exchanges.slice(start).entries()) {
    bytes += weightOf(exchange)
    if (bytes > maxBytes && index > 0) return start + index
  }
  return exchanges.length
}
