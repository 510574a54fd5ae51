import type { BodyBudget, HeldBody } from '@ratchet/service-kit/http/body-budget'

/** A response that nobody stored, with all that led to it, in the form in which it is sent to a model again. */
export interface UnstoredResponse {
  readonly id: string
  /** The stored response at the beginning of its chain; null when the chain begins here. */
  readonly storedId: string | null
  /** Items as JSON, joined by commas. */
  readonly items: Buffer
}

/** The last response of each lane of a connection, as long as there is memory for it. A client that continues one that is gone sends everything again. */
export interface UnstoredResponses {
  find(id: string): UnstoredResponse | null
  /** Replaces what is known of the lane. */
  keep(lane: string | null, response: UnstoredResponse): void
  forget(id: string): void
  clear(): void
}

interface Kept {
  readonly response: UnstoredResponse
  readonly held: HeldBody
}

export interface UnstoredLimits {
  readonly workspaceId: string
  /** Of one response with all that led to it. */
  readonly maxBytes: number
}

/** Lanes of one connection whose last response is kept. Of more, that which ended first is given up. */
const maxResponses = 33

export function createUnstoredResponses(
  budget: BodyBudget,
  { workspaceId, maxBytes }: UnstoredLimits,
): UnstoredResponses {
  // Oldest first.
  const byLane = new Map<string | null, Kept>()
  const drop = (lane: string | null) => {
    byLane.get(lane)?.held.leave()
    byLane.delete(lane)
  }
  return {
    find: (id) => [...byLane.values()].find(({ response }) => response.id === id)?.response ?? null,
    keep(lane, response) {
      drop(lane)
      if (response.items.length > maxBytes) return
      const held = budget.enter(workspaceId)
      if (held.mayAdd(response.items.length)) byLane.set(lane, { response, held })
      const [oldest] = byLane.keys()
      if (byLane.size > maxResponses && oldest !== undefined) drop(oldest)
    },
    forget(id) {
      for (const [lane, { response }] of byLane) if (response.id === id) drop(lane)
    },
    clear() {
      for (const lane of [...byLane.keys()]) drop(lane)
    },
  }
}
