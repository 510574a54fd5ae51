import { createFairPlaces, type FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createSlicedWork, type SlicedWork } from '@ratchet/service-kit/timing/sliced-work'

/**
 * How a process reads the data of jobs. Data takes up to four times its bytes of memory while it is read, so only one reader
 * at a time has large data, of the workspaces in turn.
 */
export interface DataReading {
  readonly small: FairPlaces
  readonly large: FairPlaces
  /** Reads in slices, between which the process does its other work. */
  readonly sliced: SlicedWork
}

/** Bytes of data that is read in a moment, also beside other data. */
export const maxSmallBytes = 1_048_576

/** Of an API, whose users wait for it. */
export function createSurveys(): DataReading {
  const common = { maxOfOwner: 1, maxWaitMs: 15_000, maxWaiting: { ofOwner: 4, ofAll: 32 } }
  return {
    small: createFairPlaces({ places: 4, ...common }),
    large: createFairPlaces({ places: 1, ...common }),
    sliced: createSlicedWork(),
  }
}

/** Whose data is read, and how many bytes it has. */
export interface ReadTurn {
  readonly workspaceId: string
  readonly bytes: number
}

/** Reads the data of a job in the turn of its workspace. False when others had theirs; then nothing was begun. */
export type ReadInTurn = (turn: ReadTurn, read: () => Promise<unknown>) => Promise<boolean>

/**
 * Of a worker, whose jobs come back later. One job reads large data at a time, and one small data; beside each, one of another
 * workspace waits. A workspace that reads cannot wait as well: it would take the turn of others.
 */
export function createReadInTurn(maxWaitMs = 20_000): ReadInTurn {
  const [small, large] = [createLane(maxWaitMs), createLane(maxWaitMs)]
  return ({ workspaceId, bytes }, read) => (bytes > maxSmallBytes ? large : small)(workspaceId, read)
}

function createLane(maxWaitMs: number) {
  const places = createFairPlaces({ places: 1, maxOfOwner: 1, maxWaitMs, maxWaiting: { ofOwner: 1, ofAll: 1 } })
  const present = new Set<string>()
  return async (workspaceId: string, read: () => Promise<unknown>): Promise<boolean> => {
    if (present.has(workspaceId)) return false
    present.add(workspaceId)
    let hasBegun = false
    try {
      await places.run(workspaceId, () => {
        hasBegun = true
        return read()
      })
      return true
    } catch (error) {
      if (hasBegun) throw error
      return false
    } finally {
      present.delete(workspaceId)
    }
  }
}
