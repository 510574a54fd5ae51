import { claimReference } from './claim-reference.ts'
import type { Pool } from './connect-pool.ts'
import { mainLedger } from './ledger-urls.ts'
import { checkTopUp, ReferenceTaken, type ToppedUp, type TopUp, topUp, topUpExisting } from './top-up.ts'

type Queries = Pick<Pool, 'query'>

/** A ledger with its database. */
export interface LedgerDatabase {
  readonly name: string
  readonly pool: Queries
}

/**
 * Makes a workspace known to the database of its ledger, which stores nothing about it but its id and its ledger. Without
 * this row that database has no wallet for the workspace, and its requests fail instead of being refused for lack of credit.
 */
export async function registerWorkspace({ name, pool }: LedgerDatabase, workspaceId: string): Promise<void> {
  if (name === mainLedger) return
  const text = `
    INSERT INTO workspace (id, slug, name, created_at, ledger) VALUES ($1::uuid, $1::text, $1::text, now(), $2)
    ON CONFLICT (id) DO NOTHING`
  await pool.query(text, [workspaceId, name])
}

/**
 * Credits a wallet in the ledger of its workspace. Ledgers share no transaction, so the reference is claimed in the main
 * database first: a payment is credited in one of them, and a repetition after a failure completes it.
 *
 * @throws RangeError for an amount out of range or an empty reference
 * @throws ReferenceTaken when the reference was used for another top-up, in whatever ledger
 */
export async function creditWorkspace(main: Queries, ledger: LedgerDatabase, credit: TopUp): Promise<ToppedUp> {
  checkTopUp(credit)
  await requireReference(main, credit)
  await registerWorkspace(ledger, credit.workspaceId)
  return topUp(ledger.pool, credit)
}

/** The same for a workspace that its ledger knows, with rights on wallets only. */
export async function creditKnownWorkspace(main: Queries, ledger: LedgerDatabase, credit: TopUp): Promise<ToppedUp> {
  checkTopUp(credit)
  await requireReference(main, credit)
  return topUpExisting(ledger.pool, credit)
}

async function requireReference(main: Queries, credit: TopUp): Promise<void> {
  if (await claimReference(main, { ...credit, kind: 'top_up' })) return
  throw new ReferenceTaken(`reference ${credit.reference} was used for another top-up`)
}

/**
 * Number of inference processes that live and do not use a ledger. They could not serve its workspaces: a process of an
 * earlier release would even refuse them as if they had no credit.
 */
export async function countProcessesWithout(main: Queries, ledger: LedgerDatabase): Promise<number> {
  const [all, using] = await Promise.all([main, ledger.pool].map(readOwners))
  return [...(all ?? [])].filter((owner) => using?.has(owner) !== true).length
}

/** An owner without a heartbeat for a minute is dead, or has missed many of them. */
async function readOwners(pool: Queries): Promise<ReadonlySet<string>> {
  const text = "SELECT owner_id FROM ledger_owner WHERE heartbeat_at > now() - interval '1 minute'"
  const { rows } = await pool.query<{ owner_id: string }>(text)
  return new Set(rows.map(({ owner_id }) => owner_id))
}
