import { nanoToUsd } from '@ratchet/contracts/money'
import type { CriterionPatch, StoredCriterion } from './criterion.ts'

/** Fields of a judge under their names on the wire. */
export type CriterionFields = Readonly<Record<string, unknown>>

const names = {
  name: 'name',
  description: 'description',
  judgePrompt: 'judge_prompt',
  judgeModel: 'judge_model',
  checks: 'checks',
  population: 'population',
  populationFamily: 'population_family',
  onlineEnabled: 'online_enabled',
  onlinePercent: 'online_percent',
  onlineCapNano: 'online_cap_usd',
  status: 'status',
} as const satisfies Record<keyof CriterionPatch, string>

/** What a person can change of a judge, and its unit. */
export function fieldsOf(criterion: StoredCriterion): CriterionFields {
  return { ...pick(criterion, Object.keys(names) as (keyof CriterionPatch)[]), unit: criterion.unit }
}

/** The changed fields, as they were and as they are. */
export function changedFields(current: StoredCriterion, patch: CriterionPatch) {
  const changed = Object.keys(patch) as (keyof CriterionPatch)[]
  return { before: pick(current, changed), after: pick({ ...current, ...patch }, changed) }
}

function pick(criterion: StoredCriterion, fields: readonly (keyof CriterionPatch)[]): CriterionFields {
  return Object.fromEntries(
    fields.map((field) => {
      const value = criterion[field]
      return [names[field], typeof value === 'bigint' ? nanoToUsd(value) : value]
    }),
  )
}
