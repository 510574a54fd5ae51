import { createFamilyMiner, type FamilyMinerOptions, normalizedPrompt } from './family-miner.ts'
import type { FamilyState } from './family-state.ts'

/** A miner for prompts as they are sent. */
export function createTextMiner(known: readonly FamilyState[], options?: FamilyMinerOptions) {
  const miner = createFamilyMiner(known, options)
  return {
    absorb: miner.absorb,
    find: (text: string) => miner.find(normalizedPrompt(text)),
    assign(text: string) {
      const prompt = normalizedPrompt(text)
      return { ...miner.assign(prompt), exact: prompt.exact }
    },
  }
}
