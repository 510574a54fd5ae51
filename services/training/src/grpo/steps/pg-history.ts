import type { Pool } from '@ratchet/db/connect-pool'
import { jobCostNano } from '../../money/job-cost.ts'
import type { AttemptRun, RunHistory } from './step.ts'

/** What decides whether a run goes on: its last steps, and its money. */
export async function readHistory(pool: Pick<Pool, 'query'>, run: AttemptRun): Promise<RunHistory> {
  const window = Math.max(10, 2 * (run.settings.plateau?.steps ?? 0))
  const values = [run.jobId, run.workspaceId]
  const { rows } = await pool.query<HistoryRow>(stepsStatement, [...values, window])
  const totals = await pool.query<MoneyRow>(moneyStatement, values)
  const [money] = totals.rows
  if (money === undefined) throw new Error('The statement returned no row.')
  const prices = { train: BigInt(money.train_nano_per_mtok), sample: BigInt(money.sample_nano_per_mtok) }
  const costOf = (sampled: string, trained: string) =>
    jobCostNano(BigInt(sampled), prices.sample) + jobCostNano(BigInt(trained), prices.train)
  return {
    steps: rows.reverse().map((row) => ({
      step: row.step,
      rewardMean: row.reward_mean ?? 0,
      costNano: costOf(row.sampled_tokens, row.trained_tokens),
      judgeCostNano: BigInt(row.judge_cost_nano),
      logprobGapMean: row.logprob_gap_mean,
      adapterVersion: row.adapter_version ?? 0,
    })),
    money: {
      costNano: costOf(money.sampled_tokens, money.trained_tokens),
      capNano: BigInt(money.max_cost_nano) - BigInt(money.judging_cap_nano),
      judgeCostNano: BigInt(money.judge_cost_nano),
      judgingCapNano: BigInt(money.judging_cap_nano),
      lookCostNano: BigInt(money.look_cost_nano),
    },
  }
}

const stepsStatement = `
  SELECT s.step, s.sampled_tokens, s.trained_tokens, s.judge_cost_nano,
    (s.figures::jsonb ->> 'reward_mean')::float8 AS reward_mean, (s.figures::jsonb ->> 'adapter_version')::int AS adapter_version,
    (s.stats::jsonb ->> 'logprob_gap_mean')::float8 AS logprob_gap_mean
  FROM grpo_step s WHERE s.run_id = $1 AND s.workspace_id = $2 AND s.kind = 'step' AND s.state = 'trained'
  ORDER BY s.step DESC LIMIT $3`

const moneyStatement = `
  SELECT r.train_nano_per_mtok, r.sample_nano_per_mtok, r.max_cost_nano, r.judging_cap_nano,
    coalesce(sum(s.sampled_tokens), 0)::text AS sampled_tokens, coalesce(sum(s.trained_tokens), 0)::text AS trained_tokens,
    (r.check_cost_nano + coalesce(sum(s.judge_cost_nano), 0))::text AS judge_cost_nano,
    coalesce(max(s.judge_cost_nano) FILTER (WHERE s.kind = 'look'), 0)::text AS look_cost_nano
  FROM grpo_run r LEFT JOIN grpo_step s ON s.run_id = r.id AND s.workspace_id = r.workspace_id
  WHERE r.id = $1 AND r.workspace_id = $2 GROUP BY r.id`

interface HistoryRow {
  readonly step: number
  readonly sampled_tokens: string
  readonly trained_tokens: string
  readonly judge_cost_nano: string
  readonly reward_mean: number | null
  readonly adapter_version: number | null
  readonly logprob_gap_mean: number | null
}

interface MoneyRow {
  readonly train_nano_per_mtok: string
  readonly sample_nano_per_mtok: string
  readonly max_cost_nano: string
  readonly judging_cap_nano: string
  readonly sampled_tokens: string
  readonly trained_tokens: string
  readonly judge_cost_nano: string
  readonly look_cost_nano: string
}
