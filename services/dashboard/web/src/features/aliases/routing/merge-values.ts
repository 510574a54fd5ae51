import { changedFields, type FieldChange, type FieldName, type FieldWords } from './alias-fields.ts'
import type { AliasValues } from './alias-values.ts'

interface Versions {
  /** The version that the form began with. */
  readonly base: AliasValues
  /** The version that somebody else saved. */
  readonly theirs: AliasValues
  /** What is typed. */
  readonly mine: AliasValues
}

/** A setting that is not the same in both versions and the form. */
export interface Disagreement extends Pick<FieldChange, 'name' | 'label'> {
  readonly base: string
  readonly theirs: string
  readonly mine: string
  /** Who changed it since the version that the form began with. */
  readonly by: 'them' | 'me' | 'both'
}

/** What others and the person changed since the version that the form began with, in the order of the form. */
export function disagreements({ base, theirs, mine }: Versions, words: FieldWords): readonly Disagreement[] {
  const changes = (before: AliasValues, after: AliasValues) =>
    new Map(changedFields(before, after, words).map((change) => [change.name, change]))
  const [byThem, byMe] = [changes(base, theirs), changes(base, mine)]
  const names = new Set([...byThem.keys(), ...byMe.keys()])
  return [...names].flatMap((name) => {
    const [them, me] = [byThem.get(name), byMe.get(name)]
    const either = them ?? me
    if (either === undefined) return []
    const { label, before } = either
    const by = them === undefined ? 'me' : me === undefined ? 'them' : 'both'
    return [{ name, label, base: before, theirs: them?.after ?? before, mine: me?.after ?? before, by }]
  })
}

/** What is typed on top of their version: settings that the person did not touch are theirs. */
export function mergedValues({ base, theirs, mine }: Versions, words: FieldWords): AliasValues {
  const touched = new Set<FieldName>(changedFields(base, mine, words).map(({ name }) => name))
  const own = Object.entries(mine).filter(([name]) => touched.has(name as FieldName))
  return { ...theirs, ...Object.fromEntries(own) }
}
