import type { Pool } from '@ratchet/db/connect-pool'
import type { Erasure, ErasureRooms } from '@ratchet/work-kit/erasure/erasure'
import {
  addReferences,
  addValues,
  firstAnswersIn,
  isReferenced,
  isReferencedId,
  namesPerson,
  type RowsToErase,
  rowStep,
} from '@ratchet/work-kit/erasure/pg-steps'
import type { ExchangeReads } from '../exchanges/exchange-reads.ts'
import { findExchanges } from './find-exchanges.ts'
import { exampleStep, isOfPerson } from './pg-example-step.ts'
import { exchangeStep } from './pg-exchange-step.ts'
import { fileStep } from './pg-file-step.ts'

export interface LoggingRoomsDeps {
  readonly pool: Pool
  readonly reads: Pick<ExchangeReads, 'page' | 'contents' | 'delete'>
  readonly now: () => Date
}

/** Exchanges, spans, feedback, examples of datasets and lines of files of a person. */
export function loggingRooms({ pool, reads, now }: LoggingRoomsDeps): ErasureRooms {
  return {
    find: (erasure) => find({ pool, reads, now }, erasure),
    // Examples first: they are found by the exchanges.
    steps: [
      exampleStep(pool),
      fileStep(pool),
      ...rows.map((each) => rowStep(pool, each)),
      exchangeStep(pool, reads, now),
    ],
  }
}

async function find({ pool, reads, now }: LoggingRoomsDeps, erasure: Erasure): Promise<void> {
  const known = `SELECT value FROM erasure_reference WHERE erasure_id = $1 AND kind = 'trace'`
  const traces = await pool.query<{ value: string }>(known, [erasure.id])
  const found = await findExchanges(
    { reads, now },
    erasure,
    traces.rows.map(({ value }) => value),
  )
  await addValues(pool, erasure, 'log', found.logIds)
  await addValues(pool, erasure, 'request', found.requestIds)
  await addValues(pool, erasure, 'trace', found.traceIds)
  await addReferences(pool, erasure, [
    { kind: 'prompt', select: prompts },
    { kind: 'dataset', select: datasets },
  ])
}

/** Questions of the person, by which copies without an origin are found, such as the answers of a teacher. */
const prompts = `
  SELECT prompt_digest(t.line) FROM dataset_example t JOIN dataset d ON d.id = t.dataset_id
  WHERE d.workspace_id = $2 AND (${isReferencedId('t.source_exchange_id', 'log')} OR ${namesPerson('t.line')})`

const datasets = `
  SELECT DISTINCT t.dataset_id::text FROM dataset_example t JOIN dataset d ON d.id = t.dataset_id
  WHERE d.workspace_id = $2 AND ${isOfPerson}`

const rows: readonly RowsToErase[] = [
  {
    kind: 'feedback',
    table: 'feedback',
    key: 'id',
    where: `t.workspace_id = $2 AND (${isReferencedId('t.log_id', 'log')} OR ${isReferenced('t.trace_id', 'trace')})`,
  },
  {
    kind: 'spans',
    table: 'span',
    key: 'workspace_id, trace_id, span_id',
    where: `t.workspace_id = $2 AND (${isReferenced('t.trace_id', 'trace')} OR ${namesPerson('t.attributes')})`,
  },
  firstAnswersIn('logging_answer'),
]
