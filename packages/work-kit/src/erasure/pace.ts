/** Milliseconds until the next look for work in erasures: most of the time there is none for months. */
export function erasurePaceMs(isOpen: boolean): number {
  return isOpen ? 1_000 : 5_000
}
