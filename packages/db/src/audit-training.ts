import type { LedgerViolation } from './audit-ledger.ts'
import type { Pool } from './connect-pool.ts'

/** The rules that training and the ledgers must obey together, in words. */
const rules = {
  durable: 'a training job that has ended cost its durable work, at most its maximum',
  holds: 'nothing is held by a training job an hour after its end',
  charged: 'a training job that has ended was charged what it cost, or it was written off',
  recorded: 'answers and verdicts of a run or a round cost at most what was charged under its cap',
  judging: 'the judges of a run are charged at most their part of its maximum',
  maximum: 'a run or a round is charged at most its maximum, with its judges',
} as const

/** The rules, in words. */
export const trainingRules: readonly string[] = Object.values(rules)

/**
 * Compares training jobs, GRPO runs and RAFT rounds with what the ledgers charged for them. Training is read first: a charge
 * is made before it is written down there, and nothing is charged to a job that has ended. So differences that a moment
 * explains are none. It reads whole tables, and needs the rights of the operator: no service reads both.
 *
 * @param main the database of the training service
 * @param ledgers those of all ledgers; the main database is one of them
 */
export async function auditTraining(
  main: Pick<Pool, 'query'>,
  ledgers: readonly Pick<Pool, 'query'>[],
): Promise<readonly LedgerViolation[]> {
  const jobs = (await main.query<JobRow>(jobsStatement)).rows
  const payers = (await main.query<PayerRow>(payersStatement)).rows
  const charges = new Map<string, Charges>()
  const caps = new Map<string, CapCharges>()
  for (const ledger of ledgers) {
    for (const row of (await ledger.query<ChargesRow>(chargesStatement)).rows) addCharges(charges, row)
    const ids = payers.map(({ id }) => id)
    for (const row of (await ledger.query<CapRow>(capsStatement, [ids])).rows) addCap(caps, row)
  }
  const broken: [string, string][] = [
    ...jobs.flatMap((job) => [...brokenByJob(job, charges.get(job.id) ?? noCharges)]),
    ...payers.flatMap((payer) => [...brokenByPayer(payer, chargedTo(payer, charges), caps.get(payer.id) ?? noCap)]),
  ]
  return [...Map.groupBy(broken, ([rule]) => rule)].map(([invariant, found]) => {
    return { invariant, count: found.length, example: found.map(([, id]) => id).sort()[0] ?? '' }
  })
}

function* brokenByJob(job: JobRow, { charged, writtenOff, isOpen }: Charges): Generator<[string, string]> {
  const [cost, durable] = [BigInt(job.cost), BigInt(job.durable)]
  const isSettled = job.has_ended && BigInt(job.held) === 0n
  if (isSettled && cost !== durable) yield [rules.durable, job.id]
  if (job.ended_long_ago && (!isSettled || isOpen)) yield [rules.holds, job.id]
  if (isSettled && (charged > cost || charged + writtenOff < cost)) yield [rules.charged, job.id]
}

function* brokenByPayer(
  { id, recorded, judging_cap: judgingCap, maximum }: PayerRow,
  trained: bigint,
  { charged, mayBe }: CapCharges,
): Generator<[string, string]> {
  if (BigInt(recorded) > mayBe) yield [rules.recorded, id]
  if (judgingCap !== null && charged > BigInt(judgingCap)) yield [rules.judging, id]
  if (trained + charged > BigInt(maximum)) yield [rules.maximum, id]
}

/** Nano-dollars per million tokens to whole micro-dollars, rounded up once, as jobs are charged. */
const costOf = (tokens: string, price: string) => `div(${tokens} * ${price} + 999999999, 1000000000) * 1000`

const lastDurable = `
  SELECT job_id, max(step) AS step, max(trained_tokens)::numeric AS tokens FROM checkpoint
  WHERE durable_at IS NOT NULL GROUP BY job_id`

/** The steps and looks of a run until its last durable checkpoint. A look counts when all of its answers are there. */
const durableSteps = `
  SELECT s.run_id, sum(coalesce(s.trained_tokens, 0))::numeric AS trained, sum(s.sampled_tokens)::numeric AS sampled
  FROM grpo_step s JOIN (${lastDurable}) c ON c.job_id = s.run_id AND s.step <= c.step
  WHERE s.state = 'trained' OR s.kind = 'look' AND s.state IN ('judging', 'rewarded')
  GROUP BY s.run_id`

const jobsStatement = `
  SELECT j.id, j.cost_nano::text AS cost, j.held_nano::text AS held,
    j.finished_at IS NOT NULL AS has_ended, coalesce(j.finished_at < now() - interval '1 hour', false) AS ended_long_ago,
    least(j.max_cost_nano, CASE WHEN r.id IS NULL THEN ${costOf('coalesce(c.tokens, 0)', 'j.price_nano_per_mtok')}
      ELSE ${costOf('coalesce(s.trained, 0)', 'r.train_nano_per_mtok')}
        + ${costOf('coalesce(s.sampled, 0)', 'r.sample_nano_per_mtok')} END)::text AS durable
  FROM training_job j LEFT JOIN (${lastDurable}) c ON c.job_id = j.id
    LEFT JOIN grpo_run r ON r.id = j.id LEFT JOIN (${durableSteps}) s ON s.run_id = j.id`

interface JobRow {
  readonly id: string
  readonly cost: string
  readonly held: string
  readonly has_ended: boolean
  readonly ended_long_ago: boolean
  /** What its durable work costs. */
  readonly durable: string
}

/** Runs and rounds, whose ids are those of their spend caps. */
const payersStatement = `
  SELECT r.id, ARRAY[r.id]::text[] AS jobs, r.max_cost_nano::text AS maximum, r.judging_cap_nano::text AS judging_cap,
    coalesce(v.cost, 0)::text AS recorded
  FROM grpo_run r LEFT JOIN (
    SELECT o.run_id, sum(v.cost_nano) AS cost FROM grpo_verdict v JOIN grpo_rollout o ON o.id = v.rollout_id GROUP BY o.run_id
  ) v ON v.run_id = r.id
  UNION ALL
  SELECT r.id, coalesce(j.ids, '{}'), r.max_cost_nano::text, NULL, coalesce(s.cost, 0)::text
  FROM raft_round r
    LEFT JOIN (SELECT round_id, sum(cost_nano) AS cost FROM raft_sample GROUP BY round_id) s ON s.round_id = r.id
    LEFT JOIN (SELECT producer_id, array_agg(id::text) AS ids FROM training_job WHERE producer_kind = 'raft'
      GROUP BY producer_id) j ON j.producer_id = r.id`

interface PayerRow {
  readonly id: string
  readonly jobs: readonly string[]
  readonly maximum: string
  /** The part of a run's maximum that is for its judges; null for a round. */
  readonly judging_cap: string | null
  /** What its answers and verdicts cost, as they were stored. */
  readonly recorded: string
}

const chargesStatement = `
  SELECT job_id AS id, coalesce(sum(cost), 0)::text AS charged, coalesce(sum(write_off), 0)::text AS written_off,
    bool_or(state = 'open') AS is_open
  FROM billing_request WHERE job_id IS NOT NULL GROUP BY job_id`

interface ChargesRow {
  readonly id: string
  readonly charged: string
  readonly written_off: string
  readonly is_open: boolean
}

/** What the ledgers know of a job, nano-dollars. */
interface Charges {
  readonly charged: bigint
  readonly writtenOff: bigint
  readonly isOpen: boolean
}

const noCharges: Charges = { charged: 0n, writtenOff: 0n, isOpen: false }

function addCharges(charges: Map<string, Charges>, { id, charged, written_off, is_open }: ChargesRow): void {
  const before = charges.get(id) ?? noCharges
  charges.set(id, {
    charged: before.charged + BigInt(charged),
    writtenOff: before.writtenOff + BigInt(written_off),
    isOpen: before.isOpen || is_open,
  })
}

/** Over all windows of a cap: a run and a round have one. */
const capsStatement = `
  SELECT cap_id AS id, coalesce(sum(cost), 0)::text AS charged, sum(coalesce(cost, hold) + write_off)::text AS may_be
  FROM billing_request WHERE cap_id = ANY($1::uuid[]) GROUP BY cap_id`

interface CapRow {
  readonly id: string
  readonly charged: string
  readonly may_be: string
}

/** What calls under a cap cost, nano-dollars. */
interface CapCharges {
  readonly charged: bigint
  /** With what is held for calls that are not charged yet, and what was written off. */
  readonly mayBe: bigint
}

const noCap: CapCharges = { charged: 0n, mayBe: 0n }

function addCap(caps: Map<string, CapCharges>, { id, charged, may_be }: CapRow): void {
  const before = caps.get(id) ?? noCap
  caps.set(id, { charged: before.charged + BigInt(charged), mayBe: before.mayBe + BigInt(may_be) })
}

function chargedTo({ jobs }: PayerRow, charges: ReadonlyMap<string, Charges>): bigint {
  return jobs.reduce((sum, job) => sum + (charges.get(job)?.charged ?? 0n), 0n)
}
