import type { UsageGroup } from '@ratchet/contracts/billing'
import { publicId } from '@ratchet/contracts/public-id'
import { readBudgetSpend } from '@ratchet/db/budget-spend'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { readWallet } from '@ratchet/db/wallet-view'
import type { Accounts, Entry, Period, StatementSums, UsageOfGroup, UsageReport } from './accounts.ts'
import { readUsageDays } from './pg-usage-days.ts'
import { usageGroupSql, usageSourceSql } from './usage-group-sql.ts'

/** Groups of usage that are told apart, the most expensive first. */
export const maxUsageGroups = 500
const maxCredits = 1_000

/**
 * Entries of wallet $1 in [$2, $3), older than ($4, $5) when that is not null, at most $6. The balance after an entry is
 * that of the wallet less everything newer, all in one snapshot.
 */
const entriesStatement = `
WITH bound AS MATERIALIZED (SELECT least($3::timestamptz, coalesce($4::timestamptz, 'infinity')) AS at,
  CASE WHEN $4::timestamptz < $3::timestamptz THEN $5::bigint ELSE 0 END AS id
),
later AS MATERIALIZED (
  SELECT (SELECT balance FROM wallet WHERE workspace_id = $1::uuid) - coalesce((
    SELECT sum(e.amount) FROM ledger_entry e, bound
    WHERE e.wallet_id = $1::uuid AND e.account = 'wallet' AND (e.at, e.id) >= (bound.at, bound.id)
  ), 0) AS balance
)
SELECT e.id, e.at, e.reason, e.amount, e.external_ref, e.request_id, e.block_id, e.note, b.charges, r.job_id,
  later.balance - sum(e.amount) OVER (ORDER BY e.at DESC, e.id DESC ROWS UNBOUNDED PRECEDING) + e.amount AS balance
FROM later, (
  SELECT x.* FROM ledger_entry x, bound
  WHERE x.wallet_id = $1::uuid AND x.account = 'wallet' AND x.at >= $2::timestamptz AND (x.at, x.id) < (bound.at, bound.id)
  ORDER BY x.at DESC, x.id DESC LIMIT $6::int
) AS e LEFT JOIN escrow_block b ON b.block_id = e.block_id
LEFT JOIN billing_request r ON r.request_id = e.request_id AND r.wallet_id = $1::uuid
ORDER BY e.at DESC, e.id DESC`

interface EntryRow {
  readonly id: string
  readonly at: Date
  readonly reason: Entry['reason']
  readonly amount: string
  readonly external_ref: string | null
  readonly request_id: string | null
  readonly block_id: string | null
  /** Of a charge of a training job. */
  readonly job_id: string | null
  readonly note: string | null
  readonly charges: number | null
  readonly balance: string
}

/** Usage of wallet $1 in [$2, $3), which are whole hours, with what the ledger charged in the same time. */
const usageStatement = (groupBy: UsageGroup) => `
WITH grouped AS (
  SELECT ${usageGroupSql[groupBy]} AS name, sum(requests) AS requests, sum(prompt_tokens) AS prompt_tokens,
    sum(completion_tokens) AS completion_tokens, sum(cost) AS cost
  FROM ${usageSourceSql(groupBy)} WHERE u.wallet_id = $1::uuid AND u.hour >= $2::timestamptz AND u.hour < $3::timestamptz
  GROUP BY 1
),
ranked AS (
  SELECT *, row_number() OVER (ORDER BY cost DESC, name) > $4::int AS is_other FROM grouped
),
charged AS (
  SELECT coalesce(-sum(amount), 0) AS charges FROM ledger_entry
  WHERE wallet_id = $1::uuid AND account = 'wallet' AND reason NOT IN ('top_up', 'correction') AND at >= $2::timestamptz AND at < $3::timestamptz
)
SELECT charged.charges, r.is_other, CASE WHEN r.is_other THEN NULL ELSE r.name END AS name, count(r.cost) AS groups,
  sum(r.requests) AS requests, sum(r.prompt_tokens) AS prompt_tokens, sum(r.completion_tokens) AS completion_tokens,
  sum(r.cost) AS cost
FROM charged LEFT JOIN ranked r ON true
GROUP BY charged.charges, r.is_other, 3 ORDER BY r.is_other, ${groupBy === 'day' ? 'name' : 'cost DESC, name'}`

interface UsageRow {
  readonly charges: string
  /** Null in the only row of a period without usage. */
  readonly is_other: boolean | null
  readonly name: string | null
  readonly groups: string
  readonly requests: string
  readonly prompt_tokens: string
  readonly completion_tokens: string
  readonly cost: string
}

/** Sums of the entries of wallet $1 before $2, and in [$2, $3), with at most $4 credits and corrections. */
const statementStatement = `
WITH sums AS (
  SELECT coalesce(sum(amount) FILTER (WHERE at < $2::timestamptz), 0) AS opening,
    coalesce(sum(amount) FILTER (WHERE at >= $2::timestamptz AND reason = 'top_up'), 0) AS credits,
    coalesce(-sum(amount) FILTER (WHERE at >= $2::timestamptz AND reason NOT IN ('top_up', 'correction')), 0) AS charges,
    coalesce(sum(amount) FILTER (WHERE at >= $2::timestamptz AND reason = 'correction'), 0) AS corrections,
    coalesce(sum(amount), 0) AS closing
  FROM ledger_entry WHERE wallet_id = $1::uuid AND account = 'wallet' AND at < $3::timestamptz
),
credit AS (
  SELECT at, amount, external_ref, reason FROM ledger_entry
  WHERE wallet_id = $1::uuid AND account = 'wallet' AND reason IN ('top_up', 'correction') AND at >= $2::timestamptz AND at < $3::timestamptz
  ORDER BY at, id LIMIT $4::int
)
SELECT sums.*, credit.at, credit.amount, credit.external_ref, credit.reason FROM sums LEFT JOIN credit ON true ORDER BY credit.at`

interface StatementRow extends Record<'opening' | 'credits' | 'corrections' | 'charges' | 'closing', string> {
  readonly at: Date | null
  readonly amount: string
  readonly external_ref: string
  readonly reason: 'top_up' | 'correction'
}

const usedStatement = `
SELECT DISTINCT wallet_id AS "workspaceId", model FROM usage_hour WHERE model = ANY($1::text[]) AND hour >= $2::timestamptz`

/** The accounts of one ledger. */
export function createPgAccounts(pool: Pool): Accounts {
  return {
    wallet: (workspaceId) => readWallet(pool, workspaceId),
    async entries(workspaceId, { from, to, after, limit }) {
      const values = [workspaceId, from, to, after?.at ?? null, after?.id ?? null, limit]
      return (await pool.query<EntryRow>(entriesStatement, values)).rows.map(entryOf)
    },
    usage: (workspaceId, query) =>
      atOneMoment(pool, async (client) => ({
        ...(await readUsage(client, workspaceId, query)),
        days: await readUsageDays(client, workspaceId, query),
      })),
    budgetSpend: (workspaceId, query) => readBudgetSpend(pool, workspaceId, query),
    async usedSince(models, since) {
      const { rows } = await pool.query<{ workspaceId: string; model: string }>(usedStatement, [models, since])
      return rows
    },
    statement: (workspaceId, month) =>
      atOneMoment(pool, async (client) => {
        const sums = await readSums(client, workspaceId, month)
        return { sums, usage: await readUsage(client, workspaceId, { ...month, groupBy: 'model' }) }
      }),
  }
}

type Queries = Pick<Pool, 'query'>

/** All statements of `read` see the same moment. */
function atOneMoment<T>(pool: Pool, read: (client: Queries) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    return read(client)
  })
}

async function readUsage(
  pool: Queries,
  workspaceId: string,
  { from, to, groupBy }: Period & { readonly groupBy: UsageGroup },
): Promise<UsageReport> {
  const values = [workspaceId, from, to, maxUsageGroups]
  return usageOf((await pool.query<UsageRow>(usageStatement(groupBy), values)).rows)
}

async function readSums(pool: Queries, workspaceId: string, { from, to }: Period): Promise<StatementSums> {
  const { rows } = await pool.query<StatementRow>(statementStatement, [workspaceId, from, to, maxCredits])
  const [sums] = rows
  return {
    openingNano: BigInt(sums?.opening ?? 0),
    creditsNano: BigInt(sums?.credits ?? 0),
    correctionsNano: BigInt(sums?.corrections ?? 0),
    chargesNano: BigInt(sums?.charges ?? 0),
    closingNano: BigInt(sums?.closing ?? 0),
    credits: creditsOf(rows, 'top_up'),
    corrections: creditsOf(rows, 'correction'),
  }
}

function creditsOf(rows: readonly StatementRow[], asked: StatementRow['reason']): StatementSums['credits'] {
  return rows.flatMap(({ at, amount, external_ref: reference, reason }) =>
    at === null || reason !== asked ? [] : [{ at, amountNano: BigInt(amount), reference }],
  )
}

function entryOf({ id, at, reason, amount, balance, charges, note, job_id, ...ids }: EntryRow): Entry {
  const job = job_id === null ? null : publicId('fineTuningJob', job_id)
  const reference = ids.external_ref ?? job ?? ids.request_id ?? ids.block_id ?? ''
  return {
    id: BigInt(id),
    at,
    reason,
    amountNano: BigInt(amount),
    balanceNano: BigInt(balance),
    charges,
    reference,
    note,
  }
}

function usageOf(rows: readonly UsageRow[]): UsageReport {
  const chargesNano = BigInt(rows[0]?.charges ?? 0)
  const used = rows.filter(({ is_other }) => is_other !== null)
  const rest = used.find(({ is_other }) => is_other === true)
  const attributedNano = used.reduce((total, { cost }) => total + BigInt(cost), 0n)
  return {
    chargesNano,
    unattributedNano: chargesNano - attributedNano,
    groups: used.filter(({ is_other }) => is_other === false).map(groupRow),
    others: rest === undefined ? null : { ...sumsOf(rest), groups: Number(rest.groups) },
  }
}

function groupRow(row: UsageRow): UsageOfGroup {
  return { group: row.name, ...sumsOf(row) }
}

function sumsOf({ requests, prompt_tokens, completion_tokens, cost }: UsageRow) {
  return {
    requests: Number(requests),
    promptTokens: Number(prompt_tokens),
    completionTokens: Number(completion_tokens),
    costNano: BigInt(cost),
  }
}
