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

/** The part of a criterion that judgements copy. */
export type JudgingCriterion = Pick<StoredCriterion, 'id' | 'workspaceId' | 'instrument'>

export interface LoggedPlan
  extends Pick<PlannedJudgement, 'id' | 'runId' | 'source' | 'samplingProbability' | 'isCanary' | 'createdAt'> {
  readonly criterion: JudgingCriterion
  readonly exchange: LoggedExchange
}

/** Plans the judgement of a logged exchange with the criterion's own prompt. */
export function planLogged({ exchange, criterion, ...plan }: LoggedPlan): PlannedJudgement {
  const { logId, segment, tag, createdAt: itemAt, expiresAt } = exchange
  return {
    ...plan,
    workspaceId: criterion.workspaceId,
    criterionId: criterion.id,
    instrument: criterion.instrument,
    judgePrompt: null,
    judgedResponse: null,
    item: { kind: 'log', logId },
    labelId: null,
    human: null,
    stratum: null,
    segment,
    tag,
    itemAt,
    expiresAt,
  }
}

/** Null when the id of the row is not one of a log entry. */
export function loggedExchange({ id, segment, tag, created_at, expires_at }: LogRow): LoggedExchange | null {
  const logId = uuidOf('log', id)
  return logId === null
    ? null
    : { logId, segment, tag, createdAt: new Date(created_at), expiresAt: new Date(expires_at) }
}
