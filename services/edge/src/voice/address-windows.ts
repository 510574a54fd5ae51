import { type WindowPlace, windowSeconds } from './hourly-window.ts'

/** Counts requests without a valid key, by the address that they come from. Only of this process. */
export interface AddressWindows {
  count(address: string, nowMs: number): WindowPlace
}

/** @param maxAddresses how many are counted; then the one that was counted least recently is forgotten */
export function createAddressWindows(maxAddresses: number): AddressWindows {
  const windows = new Map<string, WindowPlace>()
  return {
    count(address, nowMs) {
      const nowSeconds = Math.floor(nowMs / 1000)
      const known = windows.get(address)
      const isOpen = known !== undefined && nowSeconds < known.resetsAt
      const place = isOpen
        ? { number: known.number + 1, resetsAt: known.resetsAt }
        : { number: 1, resetsAt: nowSeconds + windowSeconds }
      windows.delete(address)
      windows.set(address, place)
      if (windows.size > maxAddresses) windows.delete(windows.keys().next().value as string)
      return place
    },
  }
}
