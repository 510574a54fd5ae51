import type { AliasSettings } from '@ratchet/contracts/aliases'
import { mainModel } from '../alias-words.ts'

type Routes = Pick<AliasSettings, 'target_model' | 'canary_model' | 'canary_percent' | 'family_rules'>

/** A model that takes the place of the one that most requests are meant for. */
interface Move {
  readonly from: string
  readonly to: string
}

/** The models that may get all requests, or all of a prompt family, after a change and not before: these need evidence. */
export function movesOf(before: Routes, after: Routes): readonly Move[] {
  const from = mainModel(before)
  const known = new Set([from, before.target_model, ...familyModels(before)])
  const possible = new Set([mainModel(after), after.target_model, ...familyModels(after)])
  return [...possible].filter((to) => to !== '' && !known.has(to)).map((to) => ({ from, to }))
}

function familyModels({ family_rules: rules }: Pick<Routes, 'family_rules'>): readonly string[] {
  return rules.flatMap(({ model }) => model ?? [])
}
