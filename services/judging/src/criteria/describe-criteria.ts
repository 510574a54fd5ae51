import type { Criterion } from '@ratchet/contracts/criteria'
import type { CalibrationStore } from '../calibration/pg-calibrations.ts'
import { weekWindow } from '../runs/week-window.ts'
import type { StoredCriterion } from './criterion.ts'
import { criterionReply } from './criterion-reply.ts'

export interface DescribeDeps {
  readonly calibrations: Pick<CalibrationStore, 'evidence' | 'onlineSpent' | 'panelSpent' | 'monitored'>
  readonly now: () => Date
}

/** Replies for judges, in the same order. */
export async function describeCriteria(
  { calibrations, now }: DescribeDeps,
  criteria: readonly StoredCriterion[],
): Promise<Criterion[]> {
  const ids = criteria.map(({ id }) => id)
  const at = now()
  const { start } = weekWindow(at)
  const [evidence, spent, panelSpent, monitored] = await Promise.all([
    calibrations.evidence(ids),
    calibrations.onlineSpent(ids, start),
    calibrations.panelSpent(ids, start),
    calibrations.monitored(ids, at),
  ])
  return criteria.map((criterion) =>
    criterionReply(criterion, {
      evidence: evidence.get(criterion.id) ?? null,
      onlineSpentNano: spent.get(criterion.id) ?? 0n,
      panelSpentNano: panelSpent.get(criterion.id) ?? 0n,
      monitored: monitored.get(criterion.id) ?? null,
    }),
  )
}

export async function describeCriterion(deps: DescribeDeps, criterion: StoredCriterion): Promise<Criterion> {
  const [described] = await describeCriteria(deps, [criterion])
  if (described === undefined) throw new Error('there is one description for each criterion')
  return described
}
