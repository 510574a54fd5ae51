import { createFairPlaces, type FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createSlicedWork, type SlicedWork } from '@ratchet/service-kit/timing/sliced-work'

/** For reads that compute something from all grades of a criterion, of which there may be tens of thousands. */
export interface GradeWork {
  /** The grades of a read are in memory until it ends. */
  readonly places: FairPlaces
  /** Shared by all reads. */
  readonly sliced: SlicedWork
}

/** One read of a workspace at a time, so that those of one workspace neither take all connections nor all turns. */
export function createGradeWork(): GradeWork {
  const maxWaiting = { ofOwner: 32, ofAll: 128 }
  const places = createFairPlaces({ places: 4, maxOfOwner: 1, maxWaitMs: 10_000, maxWaiting })
  return { places, sliced: createSlicedWork() }
}
