import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { PlannedJudgement } from '../judgements/judgement.ts'

/** Which looks of a judge are meant: at what was served, or at what one mirror answered in its place. */
export interface GateLook {
  readonly criterionId: string
  readonly instrument: number
  readonly source: 'gate' | 'shadow'
  /** What tells mirrors of one exchange apart. */
  readonly shadowOf: string | null
}

/** An exchange that is to be judged for a gate. */
export interface GateExchange {
  readonly logId: string
  /** Judged in place of the logged answer; null for that one. */
  readonly response: Readonly<Record<string, unknown>> | null
  readonly segment: string
  readonly tag: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The UUID of a look at an exchange: an instrument looks once at the same answer. */
export function gateJudgementId({ criterionId, instrument, source, shadowOf }: GateLook, logId: string): string {
  if (source === 'gate') return deterministicId('gate', criterionId, logId, String(instrument))
  return deterministicId('shadow', criterionId, logId, String(instrument), shadowOf ?? '')
}

export interface GatePlan {
  readonly look: GateLook
  readonly workspaceId: string
  readonly at: Date
}

export function planGateJudgement({ look, workspaceId, at }: GatePlan, exchange: GateExchange): PlannedJudgement {
  const { logId, response } = exchange
  return {
    id: gateJudgementId(look, logId),
    workspaceId,
    criterionId: look.criterionId,
    runId: null,
    source: look.source,
    instrument: look.instrument,
    judgePrompt: null,
    judgedResponse: response === null ? null : messageOf(response),
    item: { kind: 'log', logId },
    labelId: null,
    human: null,
    weight: 1,
    stratum: null,
    segment: exchange.segment,
    tag: exchange.tag,
    isCanary: false,
    itemAt: exchange.createdAt,
    expiresAt: exchange.expiresAt,
    createdAt: at,
  }
}

function messageOf(response: Readonly<Record<string, unknown>>): ExchangeMessage {
  return { ...response, role: typeof response.role === 'string' ? response.role : 'assistant' }
}
