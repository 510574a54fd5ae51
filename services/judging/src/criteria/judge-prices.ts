import type { Identity } from '@ratchet/contracts/identity'
import { type ModelCatalog, requireJudgeModel } from '@ratchet/judge-kit/fleet/model-catalog'
import type { StoredCriterion } from './criterion.ts'

/** US dollars per million tokens. */
export interface JudgePrices {
  readonly inputPerMtok: number
  readonly outputPerMtok: number
}

/** Checks call no model. */
export const free: JudgePrices = { inputPerMtok: 0, outputPerMtok: 0 }

/** What a judge costs. @throws ServiceError naming `judge_model` when its model can no longer be called */
export async function requireJudgePrices(
  models: ModelCatalog,
  { identity, judge }: { readonly identity: Identity; readonly judge: Pick<StoredCriterion, 'judgeModel' | 'checks'> },
): Promise<JudgePrices> {
  if (judge.checks !== null) return free
  return requireJudgeModel(models, { identity, name: judge.judgeModel })
}
