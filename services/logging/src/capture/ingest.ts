import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { type ExchangeLog, UnstorableExchange } from '../exchanges/exchange-log.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import type { Redactor } from '../redaction/redactor.ts'

export interface IngestOptions {
  readonly log: ExchangeLog
  readonly redactor: Pick<Redactor, 'captures'>
  readonly now: () => Date
  readonly newId: () => string
  readonly onEvent: (event: IngestEvent) => void
}

export type IngestEvent =
  | { readonly kind: 'stored' | 'duplicate' | 'expired'; readonly count: number }
  | { readonly kind: 'refused'; readonly requestId: string; readonly cause: unknown }

export interface Ingest {
  /**
   * Stores captured exchanges, each one once however often it is delivered. Expired ones are skipped.
   *
   * @returns the exchanges that can never be stored
   * @throws Error when the outcome is unknown: the caller should pass all of them again later
   */
  ingest(captured: readonly CapturedExchange[]): Promise<readonly CapturedExchange[]>
}

interface ReadExchange {
  readonly captured: CapturedExchange
  readonly exchange: UnsegmentedExchange
}

export function createIngest({ log, redactor, now, newId, onEvent }: IngestOptions): Ingest {
  const refuse = (captured: CapturedExchange, cause: unknown) => {
    onEvent({ kind: 'refused', requestId: captured.meta.requestId, cause })
    return [captured]
  }
  const write = async (batch: readonly ReadExchange[]): Promise<readonly CapturedExchange[]> => {
    const [first] = batch
    if (first === undefined) return []
    try {
      const stored = await log.write(batch.map(({ exchange }) => exchange))
      onEvent({ kind: 'stored', count: stored })
      onEvent({ kind: 'duplicate', count: batch.length - stored })
      return []
    } catch (error) {
      if (!(error instanceof UnstorableExchange)) throw error
      if (batch.length === 1) return refuse(first.captured, error)
    }
    const middle = Math.ceil(batch.length / 2)
    return [...(await write(batch.slice(0, middle))), ...(await write(batch.slice(middle)))]
  }
  return {
    async ingest(captured) {
      const timely = [...onlyOnce(captured)].filter(({ meta }) => {
        const isTimely = Date.parse(meta.expiresAt) > now().getTime()
        if (!isTimely) onEvent({ kind: 'expired', count: 1 })
        return isTimely
      })
      const redacted = await redactor.captures(timely.map((each) => ({ id: newId(), captured: each })))
      const refused: CapturedExchange[] = []
      const read: ReadExchange[] = []
      for (const [index, each] of timely.entries()) {
        const result = redacted[index]
        if (result?.kind === 'done') read.push({ captured: each, exchange: result.value })
        else refused.push(...refuse(each, new RangeError(result?.reason ?? 'not redacted')))
      }
      return [...refused, ...(await write(read))]
    },
  }
}

function onlyOnce(captured: readonly CapturedExchange[]): Iterable<CapturedExchange> {
  return new Map(captured.map((each) => [`${each.meta.workspaceId} ${each.meta.requestId}`, each])).values()
}
