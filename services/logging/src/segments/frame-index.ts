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
        const key = oldest === undefined ? null : openingKey([...same, frame])
        if (oldest !== undefined && key !== null) return { familyId: oldest.familyId, key }
      }
      return null
    },
  }
}

/** The keys by which a prompt finds a family whose inserted text varies. A doubtful text belongs to one that holds such. */
export function openedKeys({ key, states }: PromptFrame): readonly string[] {
  return states ? [key, doubtful(key)] : [doubtful(key)]
}

/**
 * The key of a family whose texts differ in their first and in their last unit; null when they do not. What many have in
 * common at one of their ends may be an instruction.
 */
function openingKey(frames: readonly PromptFrame[]): string | null {
  const stating = frames.filter(({ states }) => states)
  const [{ key }] = frames as [PromptFrame]
  const enough = count(stating, ({ size }) => size) > 1 ? TEXTS : TEXTS_OF_ONE_LENGTH
  if (frames.at(-1)?.states === true && areDifferent(stating, enough)) return key
  return count(frames, ({ size }) => size) > 1 && areDifferent(frames, DOUBTFUL_TEXTS) ? doubtful(key) : null
}

function areDifferent(frames: readonly PromptFrame[], enough: number): boolean {
  return count(frames, ({ first }) => first) >= enough && count(frames, ({ last }) => last) >= enough
}

function count(frames: readonly PromptFrame[], of: (frame: PromptFrame) => unknown): number {
  return new Set(frames.map(of)).size
}

function doubtful(key: string): string {
  return `${key}?`
}
