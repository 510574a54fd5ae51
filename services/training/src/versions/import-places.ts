import { createFairPlaces, type FairPlaces } from '@ratchet/service-kit/timing/fair-places'

/**
 * Imports at a time: few, because an adapter is in memory while it arrives and is checked; one of a workspace, because it may
 * arrive slowly.
 */
export function createImportPlaces(maxWaitMs = 30_000): FairPlaces {
  return createFairPlaces({ places: 2, maxOfOwner: 1, maxWaitMs, maxWaiting: { ofOwner: 2, ofAll: 8 } })
}
