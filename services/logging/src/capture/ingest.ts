import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { type ExchangeLog, UnstorableExchange } from '../domain/exchange-log.ts'
import type { RawExchange, UnsegmentedExchange } from '../domain/raw-exchange.ts'
import { readCapture } from '../domain/read-capture.ts'
import { toLoggedExchange } from '../domain/to-logged-exchange.ts'

export interface IngestOptions {
  readonly log: ExchangeLog
  readonly now: () => Date
  readonly newId: () => string
  readonly onEvent: (event: IngestEvent) => void
}

export type IngestEvent =
  | { readonly kind: 'stored' | 'duplicate' | 'expired'; readonly count: number }
  | { readonly kind: 'refused'; readonly requestId: string; readonly cause: unknown }

export interface Ingest {
  /**
   * Stores what was captured, each exchange once however often it comes. What is past its time is left out.
   *
   * @returns those that can never be stored
   * @throws Error when nothing is certain: give all of them again later
   */
  ingest(captured: readonly CapturedExchange[]): Promise<readonly CapturedExchange[]>
}

interface ReadExchange {
  readonly captured: CapturedExchange
  readonly exchange: UnsegmentedExchange
}

export function createIngest({ log, now, newId, onEvent }: IngestOptions): Ingest {
  const refuse = (captured: CapturedExchange, cause: unknown) => {
    onEvent({ kind: 'refused', requestId: captured.meta.requestId, cause })
    return [captured]
  }
  const write = async (given: readonly ReadExchange[]): Promise<readonly CapturedExchange[]> => {
    const [first] = given
    if (first === undefined) return []
    try {
      const stored = await log.write(given.map(({ exchange }) => exchange))
      onEvent({ kind: 'stored', count: stored })
      onEvent({ kind: 'duplicate', count: given.length - stored })
      return []
    } catch (error) {
      if (!(error instanceof UnstorableExchange)) throw error
      if (given.length === 1) return refuse(first.captured, error)
    }
    const middle = Math.ceil(given.length / 2)
    return [...(await write(given.slice(0, middle))), ...(await write(given.slice(middle)))]
  }
  return {
    async ingest(captured) {
      const refused: CapturedExchange[] = []
      const read: ReadExchange[] = []
      for (const each of onlyOnce(captured)) {
        if (Date.parse(each.meta.expiresAt) <= now().getTime()) {
          onEvent({ kind: 'expired', count: 1 })
          continue
        }
        const raw = tryRead(each, newId())
        if (raw instanceof RangeError) refused.push(...refuse(each, raw))
        else read.push({ captured: each, exchange: toLoggedExchange(raw) })
      }
      return [...refused, ...(await write(read))]
    },
  }
}

function onlyOnce(captured: readonly CapturedExchange[]): Iterable<CapturedExchange> {
  return new Map(captured.map((each) => [`${each.meta.workspaceId} ${each.meta.requestId}`, each])).values()
}

function tryRead(captured: CapturedExchange, id: string): RawExchange | RangeError {
  try {
    return readCapture(captured, id)
  } catch (error) {
    if (error instanceof RangeError) return error
    throw error
  }
}
