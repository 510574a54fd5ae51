import { isDeepStrictEqual } from 'node:util'
import type { CriterionChange, CriterionPatch, StoredCriterion } from './criterion.ts'

/** A change of one of these fields makes a new instrument. The values are the names on the wire. */
const instrumentFields = {
  judgePrompt: 'judge_prompt',
  judgeModel: 'judge_model',
  checks: 'checks',
  population: 'population',
  populationFamily: 'population_family',
} as const satisfies Partial<Record<keyof CriterionPatch, string>>

/** A patch as the caller sent it; fields that it leaves out are undefined. */
export type RequestedPatch = { readonly [Field in keyof CriterionPatch]: CriterionPatch[Field] | undefined }

/** The fields that a patch really changes, and the reason to void calibrations, if there is one. */
export function changeCriterion(current: StoredCriterion, patch: RequestedPatch): CriterionChange {
  const changed = Object.entries(patch).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, current[field as keyof CriterionPatch]),
  )
  const names = changed.flatMap(([field]) => instrumentFields[field as keyof typeof instrumentFields] ?? [])
  return { patch: Object.fromEntries(changed), voids: names.length === 0 ? null : `${inWords(names)} changed` }
}

function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
