import type { TrainingDataReport } from '@ratchet/contracts/fine-tuning'
import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { JobSettings } from '../jobs/job.ts'
import type { CountedData, CountedJob } from './count-data.ts'
import type { AttemptId } from './job-token.ts'
import { wakeJob } from './wake-job.ts'

/** Changes what the job of a running attempt says of its data. The row of the job is locked. Null: the attempt has ended. */
export async function changeData(
  client: PoolClient,
  { jobId, generation }: AttemptId,
  change: (job: CountedJob) => CountedData | null,
): Promise<CountedJob | null> {
  const { rows } = await client.query<CountedRow>(lockStatement, [jobId, generation])
  const [row] = rows
  if (row === undefined) return null
  const job = countedJobOf(row)
  const changed = change(job)
  if (changed === null) return job
  const { report, settings, totalTokens, estimatedCostNano } = changed
  const texts = [JSON.stringify(report), JSON.stringify(settings), String(totalTokens), String(estimatedCostNano)]
  await client.query(changeStatement, [jobId, row.workspace_id, ...texts, settings.plan.total_steps])
  return { ...job, report, settings, totalTokens, tokensExact: true }
}

const lockStatement = `
  SELECT j.workspace_id, j.request, j.settings, j.data_report, j.price_nano_per_mtok, j.total_tokens, j.tokens_exact,
    j.max_cost_nano, j.held_nano, j.cost_nano
  FROM training_attempt a JOIN training_job j ON j.id = a.job_id
  WHERE a.job_id = $1 AND a.generation = $2 AND a.ended_at IS NULL FOR UPDATE OF j`

/** A worker has to look whether the hold is enough. */
const changeStatement = `
  UPDATE training_job j SET data_report = $3, settings = $4, total_tokens = $5, estimated_cost_nano = $6, total_steps = $7,
    tokens_exact = true, ${wakeJob}
  FROM (SELECT pg_notify('ratchet_work', '')) AS notified WHERE j.id = $1 AND j.workspace_id = $2`

type CountedRow = Pick<
  Row<'trainingJob'>,
  | 'workspace_id'
  | 'request'
  | 'settings'
  | 'data_report'
  | 'price_nano_per_mtok'
  | 'total_tokens'
  | 'tokens_exact'
  | 'max_cost_nano'
  | 'held_nano'
  | 'cost_nano'
>

function countedJobOf(row: CountedRow): CountedJob {
  return {
    request: JSON.parse(row.request) as CreateFineTuningJob,
    settings: JSON.parse(row.settings ?? '') as JobSettings,
    report: JSON.parse(row.data_report ?? '') as TrainingDataReport,
    priceNanoPerMtok: BigInt(row.price_nano_per_mtok),
    totalTokens: BigInt(row.total_tokens),
    tokensExact: row.tokens_exact,
    maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
    heldNano: BigInt(row.held_nano),
    costNano: BigInt(row.cost_nano),
  }
}
