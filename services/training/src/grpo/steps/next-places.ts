export interface UsedPrompts {
  /** Groups of all steps until now. */
  readonly usedGroups: number
  readonly settings: { readonly prompts: { readonly train: number } }
}

/** Places of the next prompts to train on: all of them in turn, and again from the first one. */
export function nextPlaces({ usedGroups, settings }: UsedPrompts, count: number): number[] {
  return Array.from({ length: count }, (_, index) => (usedGroups + index) % settings.prompts.train)
}
