import type { FamilyState } from './family-state.ts'
import type { PromptFrame } from './prompt-frames.ts'

/** So many different texts between the same instructions are inserted ones. */
const TEXTS = 3
/** Units of such texts on average: one statement or two may be what an application is about. */
const MEAN_UNITS = 2.5
/** Texts of a frame that are compared, the oldest. */
const MAX_TEXTS = 32

interface FoundedFrame extends PromptFrame {
  readonly familyId: string
}

/** Finds texts that vary while the instructions around them are equal. */
export interface FrameIndex {
  readonly size: number
  add(family: FamilyState): void
  /** The oldest family with a frame of the prompt that holds many different texts; null for none. */
  opened(frames: readonly PromptFrame[]): { readonly familyId: string; readonly key: string } | null
}

export function createFrameIndex(): FrameIndex {
  const byKey = new Map<string, FoundedFrame[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    add({ id, frames = [] }) {
      for (const frame of frames) {
        const same = byKey.get(frame.key) ?? []
        if (same.length >= MAX_TEXTS) continue
        byKey.set(frame.key, [...same, { ...frame, familyId: id }])
        size += 1
      }
    },
    opened(frames) {
      for (const frame of frames) {
        const same = byKey.get(frame.key) ?? []
        const [oldest] = same
        if (frame.states && oldest !== undefined && holdsTexts([...same, frame])) {
          return { familyId: oldest.familyId, key: frame.key }
        }
      }
      return null
    },
  }
}

/**
 * True when the texts differ in their first and in their last unit. What many have in common at one of their ends may be an
 * instruction. Shorter texts count as far as the mean allows.
 */
function holdsTexts(frames: readonly PromptFrame[]): boolean {
  const certain = frames.filter(({ states, certain }) => states && certain).sort((a, b) => b.size - a.size)
  let units = 0
  const tooShort = certain.findIndex(({ size }, index) => {
    units += size
    return units < MEAN_UNITS * (index + 1)
  })
  const texts = tooShort === -1 ? certain : certain.slice(0, tooShort)
  const count = (of: (frame: PromptFrame) => string) => new Set(texts.map(of)).size
  return count(({ first }) => first) >= TEXTS && count(({ last }) => last) >= TEXTS
}
