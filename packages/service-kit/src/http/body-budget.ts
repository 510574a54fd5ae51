import { setImmediate as nextTurn } from 'node:timers/promises'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { createFairPlaces } from '../timing/fair-places.ts'
import { ServiceError } from './service-error.ts'

/** Limits the bytes of request bodies that a process holds at a time, and gives each workspace a share of them. */
export interface BodyBudget {
  /** Begins a body of a workspace. It holds nothing until bytes are added. */
  enter(workspaceId: string): HeldBody
}

export interface HeldBody {
  /**
   * Reserves memory for bytes that arrived.
   *
   * @throws ServiceError `service_unavailable` when the share of the workspace or the whole budget is used up
   */
  add(bytes: number): void
  /** The same, and false in place of the error. */
  mayAdd(bytes: number): boolean
  /**
   * Resolves when a body of more than {@link largeBodyBytes} may be parsed: one in a turn of the event loop, and of the
   * workspaces in turn, so that small requests are answered between two large ones that arrived at the same time.
   *
   * @throws ServiceError `service_unavailable` after waiting too long
   */
  turn(): Promise<void>
  /** Releases all bytes of the body. */
  leave(): void
}

/** A workspace that holds no more than this is admitted even when the budget is used up. */
export const smallBodyBytes = 64 * kibibyte
/** Bytes from which parsing a body takes some milliseconds. */
export const largeBodyBytes = 256 * kibibyte
const maxTurnWaitMs = 30_000

/**
 * A workspace holds at most a quarter of the bytes, and all of them together at most seven eighths: the rest is for small
 * bodies. So four workspaces with large bodies refuse no small request of another one. A body that is the only one of its
 * workspace may exceed the share, and one that is the only one of the process may exceed the budget.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  const share = maxBytes / 4
  const forLarge = (maxBytes * 7) / 8
  const ofWorkspaces = new Map<string, number>()
  const turns = createFairPlaces({ places: 1, maxOfOwner: 1, maxWaitMs: maxTurnWaitMs })
  let held = 0

  function mayHold(bytes: number, own: number, ofWorkspace: number): boolean {
    const others = ofWorkspace - own
    if (ofWorkspace + bytes <= smallBodyBytes) return true
    if (others > 0 && ofWorkspace + bytes > share) return false
    const isSmall = own + bytes <= smallBodyBytes
    return held === own || held + bytes <= (isSmall ? maxBytes : forLarge)
  }

  return {
    enter(workspaceId) {
      let own = 0
      const change = (bytes: number) => {
        const ofWorkspace = (ofWorkspaces.get(workspaceId) ?? 0) + bytes
        if (ofWorkspace === 0) ofWorkspaces.delete(workspaceId)
        else ofWorkspaces.set(workspaceId, ofWorkspace)
        own += bytes
        held += bytes
      }
      const mayAdd = (bytes: number) => {
        const fits = mayHold(bytes, own, ofWorkspaces.get(workspaceId) ?? 0)
        if (fits) change(bytes)
        return fits
      }
      return {
        add(bytes) {
          if (!mayAdd(bytes)) throw tooMany()
        },
        mayAdd,
        turn: () => turns.run(workspaceId, () => nextTurn()),
        leave: () => change(-own),
      }
    },
  }
}

function tooMany(): ServiceError {
  return new ServiceError('service_unavailable', 'Too many large requests are being answered.', {
    retryAfterSeconds: 1,
  })
}
