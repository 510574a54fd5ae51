/** A response that was kept for its workspace, with what a later request needs to go on from it. */
export interface StoredResponse {
  /** The id of the request that it answered: a UUID. */
  readonly id: string
  readonly workspaceId: string
  /** The response it went on from; null at the start of a chain. */
  readonly previousId: string | null
  /** As the catalog calls it. */
  readonly model: string
  readonly createdAt: Date
  /** From then on it counts as deleted. */
  readonly expiresAt: Date
  /** The JSON array of the items that its request added, each with an id. */
  readonly inputItems: string
  /** The JSON of the response object as the client got it. */
  readonly reply: string
  /** The ids of its output items, by which a later request may refer to them. */
  readonly itemIds: readonly string[]
}

export interface ResponseKey {
  readonly workspaceId: string
  readonly id: string
}

export interface ChainLimits {
  /** What has expired by then is not there. */
  readonly at: Date
  readonly maxResponses: number
  /** Bytes of all input items and replies together. */
  readonly maxBytes: number
}

/** What the responses before a request come to. `missing`: one of them is not there (any more). */
export type ResponseChain =
  | { readonly kind: 'whole'; readonly responses: readonly Pick<StoredResponse, 'inputItems' | 'reply' | 'model'>[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_long' }

export interface ItemQuery {
  readonly workspaceId: string
  readonly itemIds: readonly string[]
  readonly at: Date
  /** Bytes of all replies together. */
  readonly maxBytes: number
}

/**
 * Where responses are kept. Another workspace's response is as absent as one that never was.
 * Every method throws ServiceError `service_unavailable` when the place does not answer.
 */
export interface ResponseStore {
  /** Keeps a response; one with the same id stays as it is. */
  put(response: StoredResponse): Promise<void>
  get(key: ResponseKey, at: Date): Promise<StoredResponse | null>
  /** False when there was nothing to delete. */
  delete(key: ResponseKey, at: Date): Promise<boolean>
  /** The response and all before it, the oldest first. */
  chain(key: ResponseKey, limits: ChainLimits): Promise<ResponseChain>
  /** The replies that have one of these output items, the newest first; null when they are too large together. */
  repliesWith(query: ItemQuery): Promise<readonly Pick<StoredResponse, 'reply' | 'model'>[] | null>
  /** Removes responses that have expired, at most `limit` of them. Answers how many. */
  sweep(at: Date, limit: number): Promise<number>
}
