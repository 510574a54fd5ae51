import { dayMs } from '@ratchet/service-kit/timing/durations'
import { promptSha256 } from '../criteria/instrument.ts'
import type { RunStore } from '../runs/judge-run.ts'
import { checkDrift, type DriftSettings } from './check-drift.ts'
import { driftNotice } from './drift-notice.ts'
import type { DriftStore, ExaminedCriterion } from './drift-store.ts'

export interface SweepDriftDeps {
  readonly drift: DriftStore
  readonly runs: Pick<RunStore, 'create'>
  readonly settings: DriftSettings & {
    /** Days of traffic that count as live. */
    readonly liveDays: number
  }
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  readonly onFailure: (criterionId: string, cause: unknown) => void
}

/**
 * Checks every judge in use for drift. When its pass rate dropped, it judges rows of its calibration again, to find out
 * whether the judge changed or the traffic.
 */
export async function sweepDrift(deps: SweepDriftDeps): Promise<void> {
  for (const examined of await deps.drift.examined()) {
    try {
      await examine(deps, examined)
    } catch (cause) {
      deps.onFailure(examined.id, cause)
    }
  }
}

async function examine(deps: SweepDriftDeps, examined: ExaminedCriterion): Promise<void> {
  const { drift, settings, now } = deps
  const at = now()
  const validated = await drift.validated(examined)
  if (validated === null) return
  const liveSince = new Date(Math.max(examined.alignedAt.getTime(), at.getTime() - settings.liveDays * dayMs))
  const live = await drift.live(examined, liveSince)
  const finding = checkDrift({ criterion: examined, validated, live, settings, at })
  await drift.save(examined, { finding, notice: driftNotice(examined, finding, at), at })
  if (finding.signal === 'quality_drop' && examined.driftSignal === null) await replay(deps, examined, at)
}

async function replay({ runs, newId, enqueueRuns }: SweepDriftDeps, examined: ExaminedCriterion, createdAt: Date) {
  const run = await runs.create({
    id: newId(),
    workspaceId: examined.workspaceId,
    criterionId: examined.id,
    kind: 'drift_replay',
    instrument: examined.instrument,
    judgeModel: examined.judgeModel,
    promptSha256: promptSha256(examined.judgePrompt),
    request: { calibrationId: examined.calibrationId },
    maxCostNano: null,
    createdBy: examined.createdBy,
    createdAt,
  })
  await enqueueRuns([run.id])
}
