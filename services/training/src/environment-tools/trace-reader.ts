import type { ToolFromTraces } from '@ratchet/contracts/environment-tools-body'
import type { Identity } from '@ratchet/contracts/identity'
import { listLogs } from '@ratchet/contracts/logs'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type ObservedCall, type OfferedTool, observedCalls, offeredTool } from './observed-calls.ts'

export interface TracesRead {
  /** Exchanges that were read, the newest ones. */
  readonly exchanges: number
  /** The oldest first. */
  readonly calls: readonly ObservedCall[]
  /** As the newest exchange offers it that does; null when none does. */
  readonly offered: OfferedTool | null
}

/** Reads the calls of a tool in the log of a workspace. */
export interface TraceReader {
  /** @throws ServiceError `logging_disabled`, or `service_unavailable` */
  read(identity: Identity, toolName: string, filters: ToolFromTraces['filters']): Promise<TracesRead>
}

const maxExchanges = 5_000
/** Of the arguments and answers that are read, so that long ones do not fill the memory that all workspaces use. */
const maxCharacters = 16_000_000
const maxCalls = 20_000
/** Few, because each may have a megabyte. */
const exchangesPerPage = 40

/** The log that logging stores. */
export function createTraceReader(logging: Pick<FleetClient, 'call'>): TraceReader {
  return {
    async read(identity, toolName, filters) {
      const known = new Set<string>()
      const calls: ObservedCall[] = []
      let offered: OfferedTool | null = null
      let [exchanges, characters] = [0, 0]
      const isFull = () => exchanges >= maxExchanges || characters >= maxCharacters || calls.length >= maxCalls
      for (let after: string | undefined; !isFull(); ) {
        const page = await pageOf(logging, identity, { ...filters, after })
        for (const exchange of page.data) {
          if (isFull()) break
          offered ??= offeredTool(exchange.tools, toolName)
          const observed = observedCalls(exchange, toolName, known)
          calls.push(...observed)
          characters += observed.reduce((sum, call) => sum + call.length, 0)
          exchanges += 1
        }
        after = page.data.at(-1)?.id
        if (!page.has_more || after === undefined) break
      }
      return { exchanges, calls: calls.reverse(), offered }
    },
  }
}

type Filters = ToolFromTraces['filters'] & { readonly after: string | undefined }

async function pageOf(logging: Pick<FleetClient, 'call'>, identity: Identity, { start, end, ...others }: Filters) {
  const times = {
    ...(start === undefined ? {} : { start: new Date(start).toISOString() }),
    ...(end === undefined ? {} : { end: new Date(end).toISOString() }),
  }
  try {
    return await logging.call(listLogs, { query: { ...others, ...times, limit: exchangesPerPage } }, identity)
  } catch (error) {
    if (!(error instanceof FleetCallError)) throw error
    if (error.code === 'logging_disabled') throw new ServiceError('logging_disabled', error.message)
    if (!error.mayPass) throw error
    const message = 'The log cannot be read at the moment. Retry.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
  }
}
