import type { ExchangeContent, LoggedExchange } from './logged-exchange.ts'

/** Which exchanges are meant; what is absent does not matter. */
export interface ExchangeFilter {
  readonly model?: string | undefined
  readonly tag?: string | undefined
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
  /** Words that all have to occur. */
  readonly words?: string | undefined
}

/** Whose exchanges, as they stand at a moment: what has expired by then is gone. */
export interface ReadScope {
  readonly workspaceId: string
  readonly at: Date
}

export interface PageRequest extends ReadScope {
  readonly filter: ExchangeFilter
  readonly limit: number
  readonly offset: number
  /** The place of the last exchange of the page before. */
  readonly after: Place | null
}

export interface ListRequest extends PageRequest {
  /** How far the total is counted. */
  readonly most: number
}

export interface ExchangeList {
  readonly rows: readonly LoggedExchange[]
  /** Of all that match, wherever the page begins; counted up to {@link ListRequest.most}. */
  readonly total: number
}

/** Where an exchange stands in time; no two have the same. */
export interface Place {
  readonly createdAt: Date
  readonly id: string
}

/** What a row is found by again. */
export type ExchangeKey = Pick<LoggedExchange, 'id' | 'expiresAt' | 'sizeBytes'>

/** What the log answers about exchanges. Everything is a workspace's own, and the newest comes first. */
export interface ExchangeReads {
  page(request: PageRequest): Promise<readonly LoggedExchange[]>
  /** A page and how many there are. */
  list(request: ListRequest): Promise<ExchangeList>
  get(scope: ReadScope, id: string): Promise<LoggedExchange | null>
  /** By id; what is gone meanwhile is missing. */
  contents(keys: readonly ExchangeKey[]): Promise<ReadonlyMap<string, ExchangeContent>>
  /** False when there is none. */
  delete(scope: ReadScope, id: string): Promise<boolean>
  /** For exchanges of traces: the places of these among the steps of their traces, from 0, by id. */
  stepIndexes(scope: ReadScope, exchanges: readonly LoggedExchange[]): Promise<ReadonlyMap<string, number>>
}
