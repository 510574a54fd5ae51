import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { PlannedJudgement } from '../judgements/judgement.ts'
import { type LoggedExchange, type LoggedRunItem, planLogged, planRun } from '../judgements/plan-logged.ts'

/** Identifies judgements of a gate: of served answers, or of the answers of one shadow. */
export interface GateJudgementKey {
  readonly criterionId: string
  readonly instrument: number
  readonly source: 'gate' | 'shadow'
  /** Distinguishes shadows of one exchange: the model. */
  readonly shadowOf: string | null
}

/** An exchange that is to be judged for a gate. */
export interface GateExchange extends LoggedExchange {
  /** Judged instead of the logged answer; null for the logged answer. */
  readonly response: Readonly<Record<string, unknown>> | null
}

/** UUID derived from judge, instrument and run, so that an instrument judges a run once. */
export function gateRunJudgementId(
  { criterionId, instrument }: Pick<GateJudgementKey, 'criterionId' | 'instrument'>,
  traceId: string,
): string {
  return deterministicId('gate run', criterionId, traceId, String(instrument))
}

/** UUID derived from judge, instrument and answer, so that an instrument judges an answer once. */
export function gateJudgementId(
  { criterionId, instrument, source, shadowOf }: GateJudgementKey,
  logId: string,
): string {
  if (source === 'gate') return deterministicId('gate', criterionId, logId, String(instrument))
  return deterministicId('shadow', criterionId, logId, String(instrument), shadowOf ?? '')
}

export interface GatePlan {
  readonly key: GateJudgementKey
  readonly workspaceId: string
  readonly at: Date
}

export function planGateJudgement({ key, workspaceId, at }: GatePlan, exchange: GateExchange): PlannedJudgement {
  const { response } = exchange
  const planned = planLogged({
    id: gateJudgementId(key, exchange.logId),
    criterion: { id: key.criterionId, workspaceId, instrument: key.instrument },
    runId: null,
    source: key.source,
    samplingProbability: 1,
    isCanary: false,
    createdAt: at,
    exchange,
  })
  return response === null ? planned : { ...planned, judgedResponse: messageOf(response) }
}

/** Plans the judgement of a run with exactly the steps that the gate has read. */
export function planGateRun({ key, workspaceId, at }: GatePlan, run: LoggedRunItem): PlannedJudgement {
  return planRun({
    id: gateRunJudgementId(key, run.traceId),
    criterion: { id: key.criterionId, workspaceId, instrument: key.instrument },
    runId: null,
    source: 'gate',
    samplingProbability: 1,
    createdAt: at,
    run,
  })
}

function messageOf(response: Readonly<Record<string, unknown>>): ExchangeMessage {
  return { ...response, role: typeof response.role === 'string' ? response.role : 'assistant' }
}
