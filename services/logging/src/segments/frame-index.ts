import type { FamilyState } from './family-state.ts'
import type { PromptFrame } from './prompt-frames.ts'

/** So many different texts between the same instructions are inserted ones. */
const TEXTS = 3
/** As many when all texts have one length. */
const TEXTS_OF_ONE_LENGTH = 6
/** As many when the texts may be instructions of a language whose verbs are unknown. */
const DOUBTFUL_TEXTS = 8
/** Texts of a frame that are compared, the oldest. */
const MAX_TEXTS = 32
/** Frames of a workspace's families, about 20 MB. */
const MAX_FRAMES = 100_000

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
        if (size >= MAX_FRAMES || same.length >= MAX_TEXTS) continue
        byKey.set(frame.key, [...same, { ...frame, familyId: id }])
        size += 1
      }
    },
    opened(frames) {
      for (const frame of frames) {
        const same = byKey.get(frame.key) ?? []
        const [oldest] = same
        if (oldest !== undefined && holdsTexts([...same, frame])) return { familyId: oldest.familyId, key: frame.key }
      }
      return null
    },
  }
}

/**
 * True when the texts differ in their first and in their last unit. What many have in common at one of their ends may be an
 * instruction.
 */
function holdsTexts(frames: readonly PromptFrame[]): boolean {
  const count = (of: (frame: PromptFrame) => unknown) => new Set(frames.map(of)).size
  const lengths = count(({ size }) => size)
  const states = frames.every((frame) => frame.states)
  if (!states && lengths === 1) return false
  const needed = states ? (lengths > 1 ? TEXTS : TEXTS_OF_ONE_LENGTH) : DOUBTFUL_TEXTS
  return count(({ first }) => first) >= needed && count(({ last }) => last) >= needed
}
