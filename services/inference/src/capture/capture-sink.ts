import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'

/** One way to the log. Never rejects: answers what it did not take, and why. */
export type CaptureSink = (exchanges: readonly CapturedExchange[]) => Promise<NotTaken>

export interface NotTaken {
  readonly left: readonly CapturedExchange[]
  readonly cause: unknown
}

/** What an exchange weighs while it waits, bytes. */
export function weightOf({ request, reply }: CapturedExchange): number {
  return request.length + reply.length + metaBytes
}

/** About what is known of an exchange beside its content. */
const metaBytes = 1_000

/**
 * Sends exchanges in order, `maxBytes` at a time, each time at least one; what follows a failure is not tried.
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
