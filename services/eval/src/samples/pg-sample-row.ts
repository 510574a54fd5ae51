import type { PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { PairVerdict, Preference, VerdictFailure } from '../judging/pair-verdict.ts'
import type { DoneSample, EvalPrompt, ModelAnswer, PlannedSample } from './sample.ts'

/**
 * SQL condition: sample `s` of eval `r` is unfinished. Samples of a cancelled eval are never leased, so only those with a
 * running lease are unfinished.
 */
export const isUnfinished = `(s.state IN ('pending', 'leased')
  AND (r.status <> 'CANCELLED' OR (s.state = 'leased' AND s.due_at > now())))`

/** Rows per INSERT statement. */
const rowsPerInsert = 50

const insertColumns = `id, run_id, workspace_id, position, repetition, cluster, log_id, trace_id, step_index, segment, expires_at,
  prompt, reference, recorded`

export interface SamplesOfRun {
  readonly runId: string
  readonly workspaceId: string
  readonly samples: readonly PlannedSample[]
}

/** Inserts samples that do not exist yet. */
export async function insertSamples(client: PoolClient, { runId, workspaceId, samples }: SamplesOfRun): Promise<void> {
  for (let from = 0; from < samples.length; from += rowsPerInsert) {
    const rows = samples.slice(from, from + rowsPerInsert).map((sample) => ({
      id: sample.id,
      run_id: runId,
      workspace_id: workspaceId,
      position: sample.position,
      repetition: sample.repetition,
      cluster: sample.cluster,
      log_id: sample.logId,
      trace_id: sample.traceId,
      step_index: sample.stepIndex,
      segment: sample.segment,
      expires_at: sample.expiresAt,
      prompt: JSON.stringify(sample.prompt),
      reference: sample.reference === null ? null : JSON.stringify(sample.reference),
      recorded: sample.recorded === null ? null : JSON.stringify(sample.recorded),
    }))
    // The hash identifies the prompt in later evals of the workspace, when its text is deleted.
    const text = `INSERT INTO eval_sample (${insertColumns}, prompt_hash)
      SELECT ${insertColumns}, encode(sha256(convert_to(workspace_id::text || prompt, 'UTF8')), 'hex')
      FROM json_populate_recordset(NULL::eval_sample, $1) ON CONFLICT DO NOTHING`
    await client.query(text, [JSON.stringify(rows)])
  }
}

export type SampleRow = Pick<
  Row<'evalSample'>,
  | 'id'
  | 'position'
  | 'repetition'
  | 'cluster'
  | 'log_id'
  | 'trace_id'
  | 'step_index'
  | 'segment'
  | 'expires_at'
  | 'prompt'
  | 'reference'
  | 'recorded'
>

export function sampleOf(row: SampleRow): Omit<DoneSample, 'answers' | 'verdicts' | 'outcomes' | 'disputed' | 'error'> {
  return {
    id: row.id,
    position: row.position,
    repetition: row.repetition,
    cluster: row.cluster,
    logId: row.log_id,
    traceId: row.trace_id,
    stepIndex: row.step_index,
    segment: row.segment,
    expiresAt: row.expires_at,
    prompt: parsed<EvalPrompt>(row.prompt),
    reference: parsed<ExchangeMessage>(row.reference),
    recorded: parsed(row.recorded),
  }
}

export type AnswerRow = Pick<
  Row<'evalAnswer'>,
  'sample_id' | 'model_index' | 'message' | 'error' | 'recorded' | 'cost_nano' | 'latency_ms' | 'assertions'
>

export function answerOf(row: AnswerRow): ModelAnswer {
  return {
    modelIndex: row.model_index,
    message: parsed<ExchangeMessage>(row.message),
    error: row.error,
    isRecorded: row.recorded,
    costNano: row.cost_nano === null ? null : BigInt(row.cost_nano),
    latencyMs: row.latency_ms,
    assertions: JSON.parse(row.assertions) as ModelAnswer['assertions'],
  }
}

/** SQL: the verdicts of all judges. Those of the first judge of a panel are in the table of single judges. */
export const verdictTable = `(
  SELECT sample_id, run_id, candidate_index, swapped, preference, failure, explanation, cost_nano,
    0::smallint AS judge_index FROM eval_look
  UNION ALL SELECT sample_id, run_id, candidate_index, swapped, preference, failure, explanation, cost_nano,
    judge_index FROM eval_panel_verdict)`

export type VerdictRow = Pick<
  Row<'evalLook', { preference: Preference | null; failure: VerdictFailure | null }>,
  'sample_id' | 'candidate_index' | 'swapped' | 'preference' | 'failure' | 'explanation' | 'cost_nano'
> & { readonly judge_index: number }

export function verdictOf(row: VerdictRow): PairVerdict {
  return {
    ...(row.judge_index === 0 ? {} : { judgeIndex: row.judge_index }),
    candidateIndex: row.candidate_index,
    isSwapped: row.swapped,
    preference: row.preference,
    failure: row.failure,
    explanation: row.explanation,
    costNano: BigInt(row.cost_nano),
  }
}

function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}
