import type { Pool } from '@ratchet/db/connect-pool'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { checkWorkspaceId } from './check-ledger-input.ts'
import { LedgerUnavailable } from './ledger.ts'
import { whileAlive } from './pg-while-alive.ts'
import type { WorkspaceLedgers } from './workspace-ledgers.ts'

export interface PgWorkspaceLedgersOptions {
  /** Not the pool of a ledger, so that no charge waits behind a read. */
  readonly pool: Pool
  /** Milliseconds without any answer after which the database counts as unavailable. */
  readonly silenceMs?: number
  /** Maximum number of workspaces that are remembered. */
  readonly maxKnown?: number
}

const timeoutMs = 1_000

/** Reads ledgers of workspaces from Postgres; concurrent reads share a statement, and what was read is remembered. */
export function createPgWorkspaceLedgers(options: PgWorkspaceLedgersOptions): WorkspaceLedgers {
  const { pool, silenceMs = 250, maxKnown = 50_000 } = options
  const known = new Map<string, string>()
  const reads = createGroupCommit({ run: (ids: readonly string[]) => readLedgers(pool, ids) })

  async function read(workspaceId: string): Promise<string> {
    checkWorkspaceId(workspaceId)
    const ledger = await whileAlive(pool, reads.add(workspaceId), { silenceMs, maxMs: timeoutMs }).catch(unavailable)
    if (ledger === null) {
      throw new LedgerUnavailable(`the database names no ledger of workspace ${workspaceId}`, { uncertain: false })
    }
    const [oldest] = known.keys()
    if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest)
    known.set(workspaceId, ledger)
    return ledger
  }

  return { of: (workspaceId) => known.get(workspaceId) ?? read(workspaceId) }
}

async function readLedgers(pool: Pool, workspaceIds: readonly string[]): Promise<readonly (string | null)[]> {
  const text = 'SELECT workspace_id, ledger FROM workspace_ledger WHERE workspace_id = ANY($1::uuid[])'
  const { rows } = await pool.query<{ workspace_id: string; ledger: string }>(text, [[...new Set(workspaceIds)]])
  const found = new Map(rows.map(({ workspace_id, ledger }) => [workspace_id, ledger]))
  return workspaceIds.map((id) => found.get(id) ?? null)
}

function unavailable(cause: unknown): never {
  throw new LedgerUnavailable('the ledger of a workspace cannot be read', { uncertain: false, cause })
}
