import type { Cascade, CascadeCalibration, CascadeScan } from '@ratchet/contracts/cascades'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { RunProgress } from '../judgements/judgement.ts'
import type { JudgeRun } from '../runs/judge-run.ts'
import type { CascadeScanRequest, FrozenMember, StoredCascade } from './cascade.ts'
import type { CascadeScanResult } from './cascade-scan-result.ts'
import type { LastCalibration } from './current-proof.ts'

export interface DescribedCalibration extends LastCalibration {
  readonly progress: RunProgress
}

export interface CascadeFacts {
  /** Null before the first calibration. */
  readonly last: DescribedCalibration | null
  readonly canScan: boolean
}

export function cascadeReply(cascade: StoredCascade, { last, canScan }: CascadeFacts): Cascade {
  return {
    object: 'cascade',
    id: publicId('cascade', cascade.id),
    name: cascade.name,
    members: cascade.members.map(({ criterionId, verdicts }) => ({
      criterion_id: publicId('criterion', criterionId),
      verdicts: verdicts as Cascade['members'][number]['verdicts'],
    })),
    agreement: cascade.agreement,
    confidence: cascade.confidence,
    can_scan: canScan,
    calibration: last === null ? null : calibrationReply(last),
    created_at: cascade.createdAt.toISOString(),
  }
}

export function calibrationReply({ run, result, voidReason, progress }: DescribedCalibration): CascadeCalibration {
  const members = result?.members ?? []
  const proven = result?.proven ?? null
  return {
    object: 'cascade.calibration',
    id: publicId('cascadeCalibration', run.id),
    status: voidReason === null ? run.status : 'VOIDED',
    progress: progressOf(run, progress),
    error: run.error,
    void_reason: voidReason,
    graded: result?.graded ?? 0,
    left_out: result?.leftOut ?? 0,
    unanswered: result?.unanswered?.length ?? 0,
    ordinal: result?.ordinal ?? 0,
    error_probability: result?.errorProbability ?? 0,
    is_proven: proven !== null,
    thresholds: (proven?.thresholds ?? []).map((minEqual, index) => ({
      criterion_id: criterionId(members, index),
      verdicts: members[index]?.verdicts ?? 1,
      min_equal: minEqual,
    })),
    coverage: proven?.coverage ?? null,
    agreement: proven?.agreement ?? null,
    agreement_ci: proven === null ? null : [proven.agreementCi[0], proven.agreementCi[1]],
    shares: sharesOf(members, proven?.shares ?? []),
    ...costFields(result?.lastNanoPerItem ?? null, proven?.nanoPerItem ?? null),
    cost_usd: nanoToUsd(progress.costNano),
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

function costFields(lastNano: number | null, nano: number | null) {
  return {
    usd_per_1000: usdPer1000(nano),
    last_judge_usd_per_1000: usdPer1000(lastNano),
    saving: nano === null || lastNano === null || lastNano === 0 ? null : 1 - nano / lastNano,
  }
}

function usdPer1000(nanoPerItem: number | null): number | null {
  return nanoPerItem === null ? null : nanoToUsd(BigInt(Math.round(nanoPerItem * 1_000)))
}

function progressOf(run: JudgeRun, { done, total }: RunProgress) {
  return { done, total: run.rowsTotal ?? total }
}

function criterionId(members: readonly FrozenMember[], index: number): string {
  return publicId('criterion', members[index]?.criterionId ?? '')
}

function sharesOf(members: readonly FrozenMember[], shares: readonly number[]) {
  return shares.map((share, index) => ({ criterion_id: criterionId(members, index), share }))
}

export function scanReply(run: JudgeRun, progress: RunProgress): CascadeScan {
  const { cascadeId, filters, sampleCount } = run.request as CascadeScanRequest
  const result = run.result as CascadeScanResult | null
  const summary = result?.summary ?? null
  const judged = summary === null ? 0 : summary.decided + summary.undecided
  const shareOf = (count: number) => count / Math.max(1, judged)
  return {
    object: 'cascade.scan',
    id: publicId('cascadeScan', run.id),
    cascade_id: publicId('cascade', cascadeId),
    status: run.status as CascadeScan['status'],
    progress: progressOf(run, progress),
    error: run.error,
    filters,
    sample_count: sampleCount,
    matched: result?.matched ?? null,
    decided: summary?.decided ?? 0,
    undecided: summary?.undecided ?? 0,
    unjudged: summary?.unjudged ?? 0,
    undecided_share: summary === null || judged === 0 ? null : shareOf(summary.undecided),
    raw_fail_rate: summary?.rawFailRate ?? null,
    corrected_fail_rate: summary?.correctedFailRate ?? null,
    corrected_ci: pairOf(summary?.correctedCi ?? null),
    fail_rate_bounds: pairOf(summary?.failRateBounds ?? null),
    shares: sharesOf(result?.members ?? [], (summary?.decidedBy ?? []).map(shareOf)),
    cost_usd: nanoToUsd(summary === null ? progress.costNano : BigInt(summary.costNano)),
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

function pairOf(interval: readonly [number, number] | null): [number, number] | null {
  return interval === null ? null : [interval[0], interval[1]]
}
