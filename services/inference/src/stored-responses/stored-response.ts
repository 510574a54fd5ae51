/** A response that is stored for its workspace, with the data that a later request needs to continue it. */
export interface StoredResponse {
  /** The id of the request that it answered: a UUID. */
  readonly id: string
  readonly workspaceId: string
  /** The response that it continued; null at the start of a chain. */
  readonly previousId: string | null
  /** The catalog id of the model that answered. */
  readonly model: string
  readonly createdAt: Date
  /** After this time it counts as deleted. */
  readonly expiresAt: Date
  /** The JSON array of the items that its request added, each with an id. */
  readonly inputItems: string
  /** The JSON of the response object as the client got it. */
  readonly reply: string
  /** The ids of its output items, by which a later request may refer to them. */
  readonly itemIds: readonly string[]
  /** Whether its request turned the log off, or it continues such a response: what contains it must not be logged. */
  readonly isUnlogged: boolean
}

export interface ResponseKey {
  readonly workspaceId: string
  readonly id: string
}

export interface ChainLimits {
  /** Responses that have expired at this time are not found. */
  readonly at: Date
  readonly maxResponses: number
  /** Maximum bytes of all input items and replies together. */
  readonly maxBytes: number
}

export type ChainedResponse = Pick<StoredResponse, 'inputItems' | 'reply' | 'model' | 'isUnlogged'>
export type ReferredResponse = Pick<StoredResponse, 'reply' | 'model' | 'isUnlogged'>

/** Texts that were found and measured, and are not in memory yet. */
export interface FoundTexts<T> {
  /** An upper bound of the bytes that `read` returns. */
  readonly bytes: number
  read(): Promise<T>
}

export interface FoundResponse {
  readonly inputItems: FoundTexts<string | null>
  readonly reply: FoundTexts<string | null>
}

/**
 * The responses before a request. `missing`: one of them does not exist or was deleted. They are read the oldest first;
 * null when one was deleted meanwhile.
 */
export type ResponseChain =
  | ({ readonly kind: 'whole' } & FoundTexts<readonly ChainedResponse[] | null>)
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_long' }

export interface ItemQuery {
  readonly workspaceId: string
  readonly itemIds: readonly string[]
  readonly at: Date
  /** Maximum bytes of all replies together. */
  readonly maxBytes: number
}

/**
 * Stores responses. A response of another workspace is treated like one that never existed. Every method throws
 * ServiceError `service_unavailable` when the store does not answer.
 */
export interface ResponseStore {
  /**
   * Stores a response. One with the same id remains unchanged.
   *
   * @throws ServiceError `quota_exceeded` when the workspace would store more than its quota
   */
  put(response: StoredResponse): Promise<void>
  /** Finds a response. Its texts are null when it was deleted meanwhile. */
  find(key: ResponseKey, at: Date): Promise<FoundResponse | null>
  /** False when there was nothing to delete. */
  delete(key: ResponseKey, at: Date): Promise<boolean>
  /** Finds the response and all before it. */
  chain(key: ResponseKey, limits: ChainLimits): Promise<ResponseChain>
  /** Finds the replies that have one of these output items, the newest first; null when they are too large together. */
  repliesWith(query: ItemQuery): Promise<FoundTexts<readonly ReferredResponse[]> | null>
  /** Deletes expired responses, at most `limit` of them, and returns their number. */
  sweep(at: Date, limit: number): Promise<number>
}
