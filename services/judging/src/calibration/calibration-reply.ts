import type { Calibration } from '@ratchet/contracts/calibrations'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import { actFields } from '../criteria/act-fields.ts'
import { repeatabilityField } from '../criteria/repeatability-field.ts'
import type { JudgeRun } from '../runs/judge-run.ts'
import { calibrationResultOf, plannedResult } from './calibration-result.ts'
import type { CalibrationProgress } from './calibration-row.ts'
import { rightToAct } from './right-to-act.ts'
import type { CalibrationRequest } from './select-items.ts'

export function calibrationReply(run: JudgeRun, progress: CalibrationProgress): Calibration {
  const { measures, ...result } = calibrationResultOf(run) ?? plannedResult()
  return {
    object: 'criterion.calibration',
    id: publicId('calibration', run.id),
    criterion_id: publicId('criterion', run.criterionId ?? ''),
    status: run.status,
    progress: { done: progress.done, total: run.rowsTotal ?? 0 },
    error: run.error,
    prompt_sha256: run.promptSha256,
    judge_model: run.judgeModel,
    judge_model_resolved: result.judgeModelResolved,
    judge_fingerprint: result.judgeFingerprint,
    confusion: measures?.confusion ?? { tp: 0, fn: 0, fp: 0, tn: 0 },
    n_unparseable: result.unparseable,
    n_ties: result.ties,
    tpr: measures?.tpr ?? null,
    tnr: measures?.tnr ?? null,
    tpr_ci: measures?.tprCi ?? null,
    tnr_ci: measures?.tnrCi ?? null,
    kappa: measures?.kappa ?? null,
    kappa_note: measures?.kappaNote ?? null,
    trust: measures?.trust ?? 'unmeasured',
    repeatability: repeatabilityField(result.repeats ?? null),
    ...actFields(rightToAct(measures)),
    sampling: measures?.sampling ?? 'random',
    include_picked: (run.request as CalibrationRequest).includesPicked ?? false,
    n_picked: measures?.picked ?? 0,
    n_picked_left_out: result.leftOut ?? 0,
    n_unanswered: result.unanswered?.length ?? 0,
    effective_n_fail: measures?.effectiveNFail ?? 0,
    effective_n_pass: measures?.effectiveNPass ?? 0,
    looks: result.looks,
    notes: [...result.notes],
    cost_usd: nanoToUsd(progress.costNano),
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
    voided_at: run.voidedAt?.toISOString() ?? null,
    void_reason: run.voidReason,
  }
}
