import { createFairPlaces, type FairPlaces } from '@ratchet/service-kit/timing/fair-places'

/**
 * Imports at a time: some, because parts of an adapter are in memory while it arrives; one of a workspace, because it may arrive
 * slowly.
 */
export function createImportPlaces(maxWaitMs = 30_000): FairPlaces {
  return createFairPlaces({ places: 8, maxOfOwner: 1, maxWaitMs, maxWaiting: { ofOwner: 2, ofAll: 16 } })
}
