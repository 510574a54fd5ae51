import { createRecentMap } from '@ratchet/service-kit/values/recent-map'
import { partsInCommon } from './common-parts.ts'
import type { FamilyState, OwnedPattern } from './family-state.ts'
import { createFamilyStore, type FamilyStore } from './family-store.ts'
import { normalizeLines, withoutLines } from './normalize-whitespace.ts'
import { type PromptSkeleton, promptSkeleton } from './prompt-skeleton.ts'
import { hashNormalized, NO_SEGMENT } from './segment-exact.ts'
import { ESTABLISHED, sketchOf } from './slot-index.ts'
import { storedPart } from './stored-part.ts'

/** The family of all new prompts after a workspace has reached its maximum number of families. */
export const OVERFLOW_FAMILY = 'seg_other'

const MAX_UNITS = 256
/** Units of a workspace's families: 20 for each, or about 20 MB. Families beyond them are found by skeleton only. */
const MAX_UNITS_OF_ALL = 200_000
/** The release of the rules by which instructions are recognized. A family of an earlier one gets its keys again. */
const RULES = 6

export interface FamilyMinerOptions {
  /** Maximum number of families of a workspace. Further new prompts belong to `seg_other`. */
  readonly maxFamilies?: number
  /** Size of the cache of families by exact prompt. It does not change results. */
  readonly rememberedPrompts?: number
  /** Maximum number of units of all families. */
  readonly maxUnits?: number
}

/** A system prompt, normalized. */
export interface NormalizedPrompt {
  /** Empty without a prompt. */
  readonly text: string
  /** With its line breaks. */
  readonly lined: string
  /** The exact variant: `segmentExact` of the prompt. */
  readonly exact: string
}

/** A prompt with its skeleton, if that was read before; without one it is read when it is needed. */
export interface ReadPrompt extends NormalizedPrompt {
  readonly skeleton?: PromptSkeleton | undefined
}

export function normalizedPrompt(systemPrompt: string): NormalizedPrompt {
  const lined = normalizeLines(systemPrompt)
  const text = withoutLines(lined)
  return { text, lined, exact: hashNormalized(text) }
}

export interface Assignment {
  /** The segment: a family's id, `none` without a prompt, or `seg_other`. */
  readonly familyId: string
  /** This prompt founded the family. */
  readonly isNew: boolean
  /** The changed family, which must be stored before another process assigns prompts; null when nothing changed. */
  readonly changed: FamilyState | null
}

export interface FoundFamily {
  readonly familyId: string
  /** The family exists, so that later assignments of the same prompt are the same. */
  readonly isFinal: boolean
}

export interface FamilyMiner {
  /** True when `assign` needs no skeleton for the prompt. */
  remembers(prompt: NormalizedPrompt): boolean
  /** Finds or founds the family of a prompt. Never throws. */
  assign(prompt: ReadPrompt): Assignment
  /** The family that `assign` would find or found. Changes nothing. */
  find(prompt: ReadPrompt): FoundFamily
  /** Adds or updates a family that another process stored. */
  absorb(family: FamilyState): void
  /** About how much memory it takes, in units of 100 bytes. */
  readonly size: number
}

/**
 * Finds the families of one workspace's system prompts one by one. A family is identified by the skeleton of its
 * prompts, which is the prompt without its variable parts. A prompt with another skeleton belongs to the family whose
 * instructions it has. Where that does not find a variable part, a template founds many families of one prompt each: a text
 * that differs in three of them while the instructions around it are equal is inserted, a word that has four values is one, and
 * from a dozen families a pattern is learned. A family with fewer than eight prompts may join another one when a word turns out to
 * be a value. Apart from that an assignment never changes within a release: skeletons have precedence over patterns, older patterns
 * over newer ones, patterns over instructions, these over lines in common, over instructions around a text, and over values, and none of them is ever
 * removed.
 *
 * @param known the families as stored, in the order of their founding
 */
export function createFamilyMiner(known: readonly FamilyState[], options: FamilyMinerOptions = {}): FamilyMiner {
  const { maxFamilies = 10_000, rememberedPrompts = 2_000, maxUnits = MAX_UNITS_OF_ALL } = options
  const store = createFamilyStore(maxUnits)
  const { meet, recognize, found } = createFounder(store, { maxFamilies, maxUnits })
  const recent = createRecentMap<string>(rememberedPrompts)

  const recall = (exact: string) => {
    const familyId = store.resolve(recent.get(exact) ?? '')
    return (store.families.get(familyId)?.label ?? '') === '' ? undefined : familyId
  }
  const place = ({ lined, exact, skeleton: read }: ReadPrompt) => {
    const remembered = recall(exact)
    if (remembered !== undefined) return { familyId: remembered, isNew: false, changed: meet(remembered) }
    const skeleton = read ?? promptSkeleton(lined)
    const { familyId, by } = existingFamily(skeleton, store)
    if (familyId === undefined) return found(skeleton)
    return by === 'skeleton' ? recognize(skeleton) : { familyId, isNew: false, changed: meet(familyId, skeleton) }
  }

  for (const family of known) store.absorb(family)
  return {
    absorb: store.absorb,
    get size() {
      return store.unitCount + store.partCount + store.frameCount + 25 * store.families.size
    },
    remembers: ({ text, exact }) => text === '' || recall(exact) !== undefined,
    find({ text, lined, skeleton: read }) {
      if (text === '') return { familyId: NO_SEGMENT, isFinal: true }
      const skeleton = read ?? promptSkeleton(lined)
      const { familyId } = existingFamily(skeleton, store)
      const family = store.families.get(familyId ?? '')
      if (family !== undefined) return { familyId: family.id, isFinal: isSettled(family) }
      if (store.families.size >= maxFamilies) return { familyId: OVERFLOW_FAMILY, isFinal: false }
      const learned =
        store.laidOut(skeleton) ?? store.opened(skeleton) ?? store.learnable(skeleton) ?? store.varied(skeleton)
      return { familyId: learned?.family.id ?? skeleton.familyId, isFinal: false }
    },
    assign(prompt) {
      if (prompt.text === '') return { familyId: NO_SEGMENT, isNew: false, changed: null }
      const placed = place(prompt)
      recent.set(prompt.exact, placed.familyId)
      return placed
    },
  }
}

/** Changes families by the prompts that they receive, and founds new ones. */
function createFounder(
  store: FamilyStore,
  { maxFamilies, maxUnits }: { readonly maxFamilies: number; readonly maxUnits: number },
) {
  /** A family without a name gets one from the next prompt, whose skeleton is read then. */
  const named = (family: FamilyState, skeleton?: PromptSkeleton) =>
    family.label === '' && skeleton !== undefined ? { ...family, label: skeleton.label() } : family
  const meet = (familyId: string, skeleton?: PromptSkeleton) => {
    const before = store.families.get(familyId)
    if (before === undefined) return null
    const family = named(before, skeleton)
    if (family === before && family.seen >= ESTABLISHED) return null
    return store.change(seenAgain(compared(family, skeleton)))
  }
  /** Families of an earlier release have no tasks yet, or other ones. */
  const recognize = (skeleton: PromptSkeleton) => {
    const { familyId } = skeleton
    const family = store.families.get(familyId)
    if (family === undefined || family.rules === RULES) {
      return { familyId, isNew: false, changed: meet(familyId, skeleton) }
    }
    const others = skeleton.taskKeys().filter((task) => !store.byTask.has(task))
    const tasks = [...(family.tasks ?? []), ...others]
    return {
      familyId,
      isNew: false,
      changed: store.change({
        ...seenAgain(compared(withParts(named(family, skeleton), skeleton), skeleton)),
        tasks,
        rules: RULES,
      }),
    }
  }
  const found = (skeleton: PromptSkeleton) => {
    if (store.families.size >= maxFamilies) return { familyId: OVERFLOW_FAMILY, isNew: false, changed: null }
    const laidOut = store.laidOut(skeleton)
    if (laidOut !== null) {
      const { family, layout } = laidOut
      const changed = store.change({
        ...seenAgain(named(family, skeleton)),
        layouts: [...(family.layouts ?? []), layout],
      })
      return { familyId: family.id, isNew: false, changed }
    }
    const opened = store.opened(skeleton)
    if (opened !== null) {
      const { family, key } = opened
      const changed = store.change({ ...seenAgain(named(family, skeleton)), tasks: [...(family.tasks ?? []), key] })
      return { familyId: family.id, isNew: false, changed }
    }
    const learned = store.learnable(skeleton)
    if (learned !== null) {
      const { family, pattern } = learned
      const changed = store.change({ ...named(family, skeleton), patterns: [...family.patterns, pattern] })
      return { familyId: family.id, isNew: false, changed }
    }
    const varied = store.varied(skeleton)
    if (varied !== null) {
      const { family, slots } = varied
      const changed = store.change({ ...seenAgain(named(family, skeleton)), slots: [...(family.slots ?? []), slots] })
      return { familyId: family.id, isNew: false, changed }
    }
    const left = {
      units: Math.max(0, maxUnits - store.unitCount),
      parts: Math.max(0, maxUnits - store.partCount),
      frames: store.framesLeft,
    }
    return { familyId: skeleton.familyId, isNew: true, changed: store.change(founded(skeleton, left)) }
  }
  return { meet, recognize, found }
}

/** A family of an earlier release has no parts yet. */
function withParts(family: FamilyState, skeleton: PromptSkeleton): FamilyState {
  return family.parts === undefined ? { ...family, parts: skeleton.parts().map(storedPart) } : family
}

/** What a further prompt shows to vary, as long as others may join the family. */
function compared(family: FamilyState, skeleton: PromptSkeleton | undefined): FamilyState {
  const { parts = [], seen } = family
  if (skeleton === undefined || parts.length === 0 || seen >= ESTABLISHED) return family
  return { ...family, parts: partsInCommon(parts, skeleton.parts()) }
}

function seenAgain(family: FamilyState): FamilyState {
  return { ...family, seen: Math.min(family.seen + 1, ESTABLISHED) }
}

/** True when later prompts cannot show that the family is a part of another one. */
function isSettled({ seen, lines = [], parts = [] }: FamilyState): boolean {
  return seen >= ESTABLISHED || (lines.length === 0 && parts.length === 0)
}

interface KnownFamilies {
  readonly families: ReadonlyMap<string, FamilyState>
  readonly byTask: ReadonlyMap<string, string>
  readonly patterns: readonly OwnedPattern[]
  readonly resolve: (familyId: string) => string
  readonly slotted: (skeleton: PromptSkeleton) => string | null
  readonly withLayout: (skeleton: PromptSkeleton) => string | null
}

/**
 * The existing family of a prompt; undefined without one. Patterns have precedence over instructions, and these over slots. A
 * family that joined another one is that other one.
 */
function existingFamily(skeleton: PromptSkeleton, known: KnownFamilies) {
  const { families, byTask, patterns, resolve } = known
  const { familyId } = skeleton
  const resolved = resolve(familyId)
  if (families.has(familyId)) return { familyId: resolved, by: resolved === familyId ? 'skeleton' : 'slots' } as const
  const matched = matchPattern(skeleton, patterns)
  if (matched !== null) return { familyId: resolve(matched), by: 'pattern' as const }
  const task = byTask.get(taskOf(skeleton, byTask) ?? '')
  if (task !== undefined) return { familyId: resolve(task), by: 'task' as const }
  const framed = byTask.get(frameOf(skeleton, byTask) ?? '')
  if (framed !== undefined) return { familyId: resolve(framed), by: 'frame' as const }
  const laidOut = known.withLayout(skeleton)
  if (laidOut !== null) return { familyId: resolve(laidOut), by: 'layout' as const }
  return { familyId: known.slotted(skeleton) ?? undefined, by: 'slots' as const }
}

function taskOf(skeleton: PromptSkeleton, byTask: ReadonlyMap<string, string>) {
  const isKnown = (key: string | null) => key !== null && byTask.has(key)
  return skeleton.taskKeys().find(isKnown) ?? [skeleton.ownerKey()].find(isKnown)
}

function frameOf(skeleton: PromptSkeleton, byTask: ReadonlyMap<string, string>) {
  return skeleton.frames().find(({ states, key }) => states && byTask.has(key))?.key
}

function founded(
  skeleton: PromptSkeleton,
  left: { readonly units: number; readonly parts: number; readonly frames: number },
): FamilyState {
  const units = skeleton.units.slice(0, Math.min(MAX_UNITS, left.units)).map((unit) => unit.hash)
  return {
    id: skeleton.familyId,
    label: skeleton.label(),
    units,
    seen: 1,
    patterns: [],
    tasks: skeleton.taskKeys(),
    frames: skeleton.frames().slice(0, left.frames),
    lines: sketchOf(skeleton.lines()),
    parts: skeleton.parts().slice(0, left.parts).map(storedPart),
    rules: RULES,
  }
}

function matchPattern(skeleton: PromptSkeleton, patterns: readonly OwnedPattern[]): string | null {
  if (patterns.length === 0) return null
  const units = new Set(skeleton.units.map((unit) => unit.hash))
  return patterns.find((pattern) => pattern.units.every((unit) => units.has(unit)))?.familyId ?? null
}
