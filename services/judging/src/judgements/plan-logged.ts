import type { LoggedRun } from '@ratchet/contracts/internal-logs'
import type { LogRow } from '@ratchet/contracts/logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { PlannedJudgement } from './judgement.ts'

/** What a judgement stores of a logged exchange. */
export interface LoggedExchange {
  readonly logId: string
  readonly segment: string
  readonly tag: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** What a judgement stores of a run. Segment and tag are those of its first step. */
export interface LoggedRunItem extends Omit<LoggedExchange, 'logId'> {
  readonly traceId: string
  /** UUIDs, in order. */
  readonly stepIds: readonly string[]
  /** Whether a canary answered a step. */
  readonly isCanary: boolean
}

/** The part of a criterion that judgements copy. */
export type JudgingCriterion = Pick<StoredCriterion, 'id' | 'workspaceId' | 'instrument'>

interface PlanChoices extends Pick<PlannedJudgement, 'id' | 'runId' | 'source' | 'samplingProbability' | 'createdAt'> {
  readonly criterion: JudgingCriterion
}

export interface LoggedPlan extends PlanChoices, Pick<PlannedJudgement, 'isCanary'> {
  readonly exchange: LoggedExchange
}

/** Plans the judgement of a logged exchange with the criterion's own prompt. */
export function planLogged({ exchange, ...plan }: LoggedPlan): PlannedJudgement {
  return planItem(plan, exchange, { kind: 'log', logId: exchange.logId })
}

export interface RunPlan extends PlanChoices {
  readonly run: LoggedRunItem
}

/** Plans the judgement of a run in the log with the criterion's own prompt. */
export function planRun({ run, ...plan }: RunPlan): PlannedJudgement {
  const { traceId, stepIds, isCanary } = run
  return planItem({ ...plan, isCanary }, run, { kind: 'run', traceId, stepIds })
}

function planItem(
  { criterion, ...plan }: PlanChoices & Pick<PlannedJudgement, 'isCanary'>,
  { segment, tag, createdAt: itemAt, expiresAt }: Omit<LoggedExchange, 'logId'>,
  item: PlannedJudgement['item'],
): PlannedJudgement {
  return {
    ...plan,
    item,
    workspaceId: criterion.workspaceId,
    criterionId: criterion.id,
    instrument: criterion.instrument,
    judgePrompt: null,
    judgedResponse: null,
    labelId: null,
    human: null,
    stratum: null,
    segment,
    tag,
    itemAt,
    expiresAt,
  }
}

/**
 * A run that can be judged as a whole. Null when it is not completed, is too long, or has steps that were deleted while it
 * was read.
 */
export function loggedRun({
  trace_id: traceId,
  completed,
  last_at,
  expires_at,
  steps,
}: LoggedRun): LoggedRunItem | null {
  const [first] = steps
  if (!completed || first === undefined) return null
  return {
    traceId,
    stepIds: steps.flatMap(({ id }) => uuidOf('log', id) ?? []),
    segment: first.segment,
    tag: first.tag,
    isCanary: steps.some(({ canary }) => canary),
    createdAt: new Date(last_at),
    expiresAt: new Date(expires_at),
  }
}

/** Null when the id of the row is not one of a log entry. */
export function loggedExchange({ id, segment, tag, created_at, expires_at }: LogRow): LoggedExchange | null {
  const logId = uuidOf('log', id)
  return logId === null
    ? null
    : { logId, segment, tag, createdAt: new Date(created_at), expiresAt: new Date(expires_at) }
}
