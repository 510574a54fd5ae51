import type { CriterionChange, CriterionPatch, StoredCriterion } from './criterion.ts'

/** What a judge is measured as: other values make another instrument. The names are those on the wire. */
const instrumentFields = {
  judgePrompt: 'judge_prompt',
  judgeModel: 'judge_model',
  population: 'population',
  populationFamily: 'population_family',
} as const satisfies Partial<Record<keyof CriterionPatch, string>>

/** A patch as it was asked for: what it leaves alone is undefined. */
export type AskedPatch = { readonly [Field in keyof CriterionPatch]: CriterionPatch[Field] | undefined }

/** What a patch really changes, and whether that voids the calibration. */
export function changeCriterion(current: StoredCriterion, patch: AskedPatch): CriterionChange {
  const changed = Object.entries(patch).filter(
    ([field, value]) => value !== undefined && value !== current[field as keyof CriterionPatch],
  )
  const names = changed.flatMap(([field]) => instrumentFields[field as keyof typeof instrumentFields] ?? [])
  return { patch: Object.fromEntries(changed), voids: names.length === 0 ? null : `${inWords(names)} changed` }
}

function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
