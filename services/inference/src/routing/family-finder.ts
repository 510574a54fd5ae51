import { hash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createRecentMap } from '@ratchet/service-kit/values/recent-map'

/** The segment that a request has in the log. */
export interface FoundSegment {
  readonly segment: string
  /** Whether every later request with the same prompt has this segment too. */
  readonly isFinal: boolean
}

/** Finds the prompt family of requests. */
export interface FamilyFinder {
  /**
   * The segment that the log will give to a request; null while it is not known. It never throws, and waits for a
   * place and for the log, a second each at most.
   *
   * @param messages the leading system and developer messages
   */
  find(identity: Identity, messages: readonly unknown[]): Promise<string | null>
}

export type FamilyEvent = { readonly kind: 'unavailable'; readonly cause: unknown } | { readonly kind: 'recovered' }

export interface FamilyFinderDeps {
  /** Calls the log, whose rules are the only ones. @throws FleetCallError */
  readonly ask: (identity: Identity, messages: readonly unknown[]) => Promise<FoundSegment>
  readonly clockMs: () => number
  readonly onEvent: (event: FamilyEvent) => void
}

/** Prompts whose segment is remembered. */
const maxRemembered = 20_000
/** Time without calls of a workspace after one that had no answer, milliseconds, so that not every request waits for the next one. */
const pauseMs = 1_000
/**
 * Calls at the same time. A workspace has few of them, because its prompts decide how long they take, and the connections
 * are for everyone.
 */
export const maxCalls = 16
const maxCallsOfWorkspace = 3
/** Requests wait for a second, then go on without a family. */
const maxWaitMs = 1_000
/** The segment of requests without a system prompt. */
const noPrompt = 'none'

export function createFamilyFinder({ ask, clockMs, onEvent }: FamilyFinderDeps): FamilyFinder {
  const remembered = createRecentMap<string>(maxRemembered)
  const calls = createFairPlaces({ places: maxCalls, maxOfOwner: maxCallsOfWorkspace, maxWaitMs })
  // Prompts decide how long the log takes, so a workspace whose prompts are slow must not pause the calls of others.
  const pausedUntil = new Map<string, number>()
  let isUnavailable = false
  // A workspace that failed may never send a request again, so the clock alone ends its pause.
  const endPauses = () => {
    for (const [workspaceId, until] of pausedUntil) if (until <= clockMs()) pausedUntil.delete(workspaceId)
  }
  const failed = (workspaceId: string, cause: unknown) => {
    // A prompt that the log refuses, such as one that is too large, has no segment there either.
    if (cause instanceof FleetCallError && !cause.mayPass) return
    // Its own calls took too long: the log is there for others.
    if (cause instanceof ServiceError) return
    if (!isUnavailable) onEvent({ kind: 'unavailable', cause })
    isUnavailable = true
    endPauses()
    pausedUntil.set(workspaceId, clockMs() + pauseMs)
  }
  const recovered = (workspaceId: string) => {
    if (!isUnavailable) return
    pausedUntil.delete(workspaceId)
    endPauses()
    if (pausedUntil.size > 0) return
    isUnavailable = false
    onEvent({ kind: 'recovered' })
  }
  return {
    async find(identity, messages) {
      if (messages.length === 0) return noPrompt
      const key = hash('sha256', `${identity.workspaceId} ${JSON.stringify(messages)}`, 'base64')
      const known = remembered.get(key)
      if (known !== undefined) return known
      const { workspaceId } = identity
      if (clockMs() < (pausedUntil.get(workspaceId) ?? 0)) return null
      try {
        const { segment, isFinal } = await calls.run(workspaceId, () => ask(identity, messages))
        recovered(workspaceId)
        if (isFinal) remembered.set(key, segment)
        return segment
      } catch (cause) {
        failed(workspaceId, cause)
        return null
      }
    },
  }
}
