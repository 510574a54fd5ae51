import type { CriterionStore } from '../criteria/criterion.ts'
import type { JudgeRun, RunStatus, RunStore } from '../runs/judge-run.ts'
import type { CascadeCalibrationResult, ProvenThresholds, StoredCascade } from './cascade.ts'
import { readMembers, whyVoid } from './cascade-members.ts'
import type { CascadeStore } from './pg-cascades.ts'

export interface ProofDeps {
  readonly cascades: Pick<CascadeStore, 'calibrationIds'>
  readonly runs: Pick<RunStore, 'get'>
  readonly criteria: Pick<CriterionStore, 'get'>
}

/** The last calibration, and what it still promises. */
export interface LastCalibration {
  readonly run: JudgeRun
  /** Null before its judgements are planned. */
  readonly result: CascadeCalibrationResult | null
  /** What changed since; null when nothing did, and when it is not done. */
  readonly voidReason: string | null
}

const anyState = ['PENDING', 'RUNNING', 'DONE', 'FAILED'] as const

/** Null before the first calibration. */
export function readLastCalibration(deps: ProofDeps, cascade: StoredCascade): Promise<LastCalibration | null> {
  return readNewest(deps, cascade, anyState)
}

async function readNewest(
  deps: ProofDeps,
  cascade: StoredCascade,
  states: readonly RunStatus[],
): Promise<LastCalibration | null> {
  const [id] = await deps.cascades.calibrationIds(cascade, states)
  if (id === undefined) return null
  const run = await deps.runs.get({ workspaceId: cascade.workspaceId, id, kind: 'cascade_calibration' })
  return run === null ? null : calibrationOf(deps, cascade, run)
}

/** What a calibration of the cascade found, and whether it still holds. */
export async function calibrationOf(
  { criteria }: Pick<ProofDeps, 'criteria'>,
  cascade: StoredCascade,
  run: JudgeRun,
): Promise<LastCalibration> {
  const result = run.result as CascadeCalibrationResult | null
  const isDone = run.status === 'DONE' && result !== null
  return { run, result, voidReason: isDone ? whyVoid(result.members, await readMembers(criteria, cascade)) : null }
}

export interface CurrentProof {
  readonly calibration: CascadeCalibrationResult
  readonly proven: ProvenThresholds
}

/** What the last finished calibration proves, also while another one runs. Null when it proved nothing, or is void. */
export async function readCurrentProof(deps: ProofDeps, cascade: StoredCascade): Promise<CurrentProof | null> {
  const done = await readNewest(deps, cascade, ['DONE'])
  if (done === null || done.voidReason !== null) return null
  const { result } = done
  return result === null || result.proven === null ? null : { calibration: result, proven: result.proven }
}
