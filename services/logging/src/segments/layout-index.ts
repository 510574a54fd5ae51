import type { FamilyLayout, FamilyState } from './family-state.ts'
import { commonLayout, hasLayout, type LaidOut } from './layout-group.ts'
import { type LayoutPart, partKind } from './prompt-layout.ts'
import { storedPart, tokenOf, VARIES } from './stored-part.ts'

/** Families that are compared, the latest ones. */
const MAX_KNOWN = 2_000
/** Families with a pair of parts in common that are compared, those with the most in common. */
const MAX_ALIKE = 24
/** Families with the layout that is found which join one of them. */
const MAX_JOINED = 256
/** Families that are looked up for each pair, the latest ones. */
const MAX_OF_PAIR = 64
const MAX_LAYOUTS = 1_000
const START = '^'
const END = '$'

interface OwnedLayout extends FamilyLayout {
  readonly familyId: string
}

/** What a new prompt shows to be a layout. */
export interface LearnedLayout {
  /** The oldest family with the layout. */
  readonly familyId: string
  readonly layout: FamilyLayout
}

/** Finds what lines and sentences prompts have in common, and the families that have them. */
export interface LayoutIndex {
  absorb(family: FamilyState): void
  /** The family whose layout a prompt has; null for none. */
  match(parts: readonly LayoutPart[]): string | null
  /** The layout that a prompt completes, which nothing matches; null for none. */
  learn(parts: readonly LayoutPart[]): LearnedLayout | null
}

/** @param isEstablished true for a family that joins no other one */
export function createLayoutIndex(isEstablished: (familyId: string) => boolean): LayoutIndex {
  const known = new Map<string, LaidOut & { readonly place: number }>()
  const byPair = new Map<string, string[]>()
  let founded = 0
  let learned: readonly OwnedLayout[] = []

  const forget = (id: string) => {
    for (const pair of pairsOf(known.get(id)?.parts ?? [])) {
      const rest = (byPair.get(pair) ?? []).filter((other) => other !== id)
      if (rest.length === 0) byPair.delete(pair)
      else byPair.set(pair, rest)
    }
    known.delete(id)
  }
  const remember = (id: string, parts: readonly string[]) => {
    if (!known.has(id)) founded += 1
    const place = known.get(id)?.place ?? founded
    forget(id)
    known.set(id, { id, parts, place })
    for (const pair of pairsOf(parts)) byPair.set(pair, [...(byPair.get(pair) ?? []).slice(1 - MAX_OF_PAIR), id])
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) forget(oldest)
  }
  const alike = (parts: readonly LayoutPart[], most: number) => {
    const common = new Map<string, number>()
    for (const pair of pairsOf(parts.map(storedPart))) {
      for (const id of byPair.get(pair) ?? []) common.set(id, (common.get(id) ?? 0) + 1)
    }
    return [...common]
      .flatMap(([id, pairs]) => {
        const family = known.get(id)
        return family === undefined ? [] : [{ ...family, pairs }]
      })
      .filter(({ id }, _, all) => !isEstablished(id) || id === oldestEstablished(all))
      .sort((one, other) => other.pairs - one.pairs || other.place - one.place)
      .slice(0, most)
  }

  /** Several families that remain are several applications. */
  const oldestEstablished = (families: readonly { readonly id: string; readonly place: number }[]) =>
    families.filter(({ id }) => isEstablished(id)).sort((one, other) => one.place - other.place)[0]?.id

  return {
    absorb({ id, parts = [], layouts = [] }) {
      if (parts.length > 0 && known.get(id)?.parts.join() !== parts.join()) remember(id, parts)
      if (layouts.length === learned.filter(({ familyId }) => familyId === id).length) return
      const own = layouts.map((each) => ({ ...each, familyId: id }))
      learned = [...learned.filter(({ familyId }) => familyId !== id), ...own].sort((a, b) => a.order - b.order)
    },
    match(parts) {
      if (learned.length === 0) return null
      const stored = parts.map(storedPart)
      return learned.find(({ layout }) => hasLayout(layout, stored))?.familyId ?? null
    },
    learn(parts) {
      if (learned.length >= MAX_LAYOUTS) return null
      const found = commonLayout(parts, alike(parts, MAX_ALIKE))
      if (found === null) return null
      const ids = new Set(found.ids)
      const families = alike(parts, MAX_JOINED)
        .filter((each) => ids.has(each.id) || hasLayout(found.layout, each.parts))
        .sort((one, other) => one.place - other.place)
        .map(({ id }) => id)
      const owner = families.find(isEstablished) ?? families[0]
      if (owner === undefined) return null
      const joined = families.filter((id) => id !== owner && !isEstablished(id))
      return { familyId: owner, layout: { order: (learned.at(-1)?.order ?? 0) + 1, layout: found.layout, joined } }
    },
  }
}

/**
 * Parts that follow each other, apart from values between them: instructions stand together, and what texts have in common by
 * chance stands alone.
 */
function pairsOf(parts: readonly string[]): readonly string[] {
  const tokens = parts.map(tokenOf).filter((token) => partKind(token) !== 'value')
  return [...tokens, END].flatMap((token, at) => {
    const before = tokens[at - 1] ?? START
    return before === VARIES || token === VARIES ? [] : [`${before} ${token}`]
  })
}
