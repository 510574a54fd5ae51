import type { ExchangeContent, LoggedExchange } from './logged-exchange.ts'

/** Conditions that exchanges must meet; an absent member is no condition. */
export interface ExchangeFilter {
  readonly model?: string | undefined
  readonly tag?: string | undefined
  /** Exchanges without a tag are not excluded. */
  readonly excludedTags?: readonly string[] | undefined
  readonly segment?: string | undefined
  readonly finishReason?: string | undefined
  readonly cached?: boolean | undefined
  /** Inclusive. */
  readonly start?: Date | undefined
  /** Exclusive. */
  readonly end?: Date | undefined
  readonly traceId?: string | undefined
  readonly alias?: string | undefined
  readonly canary?: boolean | undefined
  readonly minCostNano?: bigint | undefined
  readonly hasToolCalls?: boolean | undefined
  /** Every word must occur in the messages or the response. */
  readonly words?: string | undefined
  readonly user?: string | undefined
  readonly conversationId?: string | undefined
  /** A name and a value, as in `plan=pro`. */
  readonly metadata?: string | undefined
}

/**
 * Whether an index lists the rows of a filter with the newest first, so that no search is needed: all rows, or those of
 * a trace.
 */
export function isListed({ start: _start, end: _end, traceId: _traceId, ...others }: ExchangeFilter): boolean {
  return Object.values(others).every((value) => value === undefined)
}

/** The workspace whose exchanges are read, and the time: exchanges that have expired by then are not returned. */
export interface ReadScope {
  readonly workspaceId: string
  readonly at: Date
  /** Retention of the workspace, for reads that show when an exchange expires. */
  readonly retentionDays?: number
}

export interface PageRequest extends ReadScope {
  readonly filter: ExchangeFilter
  readonly limit: number
  readonly offset: number
  /** The position of the last exchange of the previous page. */
  readonly after: Place | null
}

export interface ListRequest extends PageRequest {
  /** The total is counted up to this number. */
  readonly maxTotal: number
}

export interface ExchangeList {
  readonly rows: readonly LoggedExchange[]
  /** Matches on all pages, counted up to {@link ListRequest.maxTotal}. */
  readonly total: number
}

/** The position of an exchange in the order of time; unique, because ids are. */
export interface Place {
  readonly createdAt: Date
  readonly id: string
}

/** What finds an exchange again without a search, and its size. */
export type ExchangeKey = Pick<LoggedExchange, 'id' | 'createdAt' | 'expiresAt' | 'sizeBytes'>

/** Reads and deletes exchanges of one workspace. Lists begin with the newest exchange. */
export interface ExchangeReads {
  page(request: PageRequest): Promise<readonly LoggedExchange[]>
  /** A page and the number of all matches. */
  list(request: ListRequest): Promise<ExchangeList>
  /** Null when the exchange does not exist or has expired. */
  get(scope: ReadScope, id: string): Promise<LoggedExchange | null>
  /** The exchange of a request of the gateway, by the UUID of the request. */
  ofRequest(scope: ReadScope, requestId: string): Promise<LoggedExchange | null>
  /** Contents by id; exchanges that were deleted meanwhile are missing. */
  contents(
    scope: Pick<ReadScope, 'workspaceId'>,
    keys: readonly ExchangeKey[],
  ): Promise<ReadonlyMap<string, ExchangeContent>>
  /** Returns false when there is no such exchange. */
  delete(scope: ReadScope, id: string): Promise<boolean>
  /** By exchange id: its index, from 0, among the steps of its trace. Exchanges without a trace are missing. */
  stepIndexes(scope: ReadScope, exchanges: readonly LoggedExchange[]): Promise<ReadonlyMap<string, number>>
}
