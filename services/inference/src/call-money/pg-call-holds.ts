import type { Pool } from '@ratchet/db/connect-pool'
import type { ExactWallets } from '../ledger/exact-wallets.ts'
import type { HoldOutcome, OnLedgerEvent } from '../ledger/ledger.ts'
import { isOverBudget } from '../ledger/over-budget.ts'
import { createPgLedger } from '../ledger/pg-ledger.ts'
import { beat } from '../ledger/pg-ledger-owner.ts'
import { ledgerStatements } from '../ledger/pg-ledger-statements.ts'
import { runStatement } from '../ledger/pg-run-statement.ts'
import type { CallHold, CallHoldOutcome, CallHolds, RequestCharge } from './call-holds.ts'

/** The owner of holds that no worker has yet. It never has a heartbeat, so that only their deadline decides. */
export const noWorker = '00000000-0000-8000-8000-63616c6c7300'

export interface PgCallHoldsOptions {
  readonly pool: Pool
  /** Of the same ledger: a refusal counts only without blocks. */
  readonly exact: Pick<ExactWallets, 'hold' | 'settle'>
  readonly onEvent: OnLedgerEvent
  readonly timeoutMs?: number
}

/** Holds of calls in one ledger, with the statements of requests: a slice of a call is a request that another process serves. */
export function createPgCallHolds({ pool, exact, onEvent, timeoutMs = 2_000 }: PgCallHoldsOptions): CallHolds {
  const rows = createPgLedger({
    pool,
    ownerId: noWorker,
    onEvent,
    statementTimeoutMs: timeoutMs,
    beforeLatePost: exact.settle,
  })

  async function adopt({ holdId, workspaceId, ownerId, keepMs }: CallHold): Promise<boolean> {
    const values = [holdId, workspaceId, ownerId ?? noWorker, keepMs]
    const query = { name: 'call_hold_adopt', text: adoptStatement, values, timeoutMs }
    return (await runStatement(pool, query)).length > 0
  }

  async function outcomeOf(hold: CallHold, outcome: HoldOutcome): Promise<CallHoldOutcome> {
    if (outcome === 'open') return (await adopt(hold)) ? 'held' : 'closed'
    if (isOverBudget(outcome)) throw new Error(`a hold without budgets is ${outcome}`)
    return outcome === 'posted' || outcome === 'voided' ? 'closed' : outcome
  }

  return {
    async hold(hold) {
      const { holdId: billingId, workspaceId, amountNano, model, labels, ownerId, keepMs, cap } = hold
      const taken = { billingId, workspaceId, amountNano, kind: 'voice', model, priceVersion: '', labels }
      const owned = { ...taken, owner: { ownerId: ownerId ?? noWorker, keepMs } }
      const outcome = await exact.hold(cap === null ? owned : { ...owned, cap }, (item) => rows.hold(item))
      return outcomeOf(hold, outcome)
    },
    async checkpoint({ ownerId, keepMs, items }) {
      // first, so that no sweep counts the owner as silent while its holds are written
      await beat({ pool, ownerId, timeoutMs })
      if (items.length === 0) return
      const values = [items.map(({ holdId }) => holdId), items.map(({ costNano }) => costNano), keepMs]
      await runStatement(pool, { name: 'ledger_checkpoint', text: ledgerStatements.checkpoint, values, timeoutMs })
    },
    async settle({ holdId: billingId, workspaceId, costNano }) {
      return (await rows.close({ billingId, workspaceId, costNano, outcome: 'posted' })).chargedNano
    },
    async release({ holdId: billingId, workspaceId }) {
      return (await rows.close({ billingId, workspaceId, costNano: 0n, outcome: 'voided' })).chargedNano
    },
    async charges(workspaceId, requestIds) {
      const query = { name: 'call_charges', text: chargesStatement, values: [workspaceId, requestIds], timeoutMs }
      return (await runStatement<ChargeRow>(pool, query)).map(chargeOf)
    },
  }
}

/** Gives the open hold $1 of wallet $2 to owner $3 for $4 milliseconds. */
const adoptStatement = `
UPDATE billing_request SET owner_id = $3::uuid, deadline = now() + $4::int * interval '1 millisecond'
WHERE request_id = $1::uuid AND wallet_id = $2::uuid AND state::text = 'open' AND kind = 'voice'
RETURNING request_id`

/** What requests $2 of wallet $1 cost. */
const chargesStatement = `
SELECT request_id, cost::text FROM billing_request WHERE request_id = ANY($2::uuid[]) AND wallet_id = $1::uuid
UNION ALL SELECT request_id, cost::text FROM charge WHERE request_id = ANY($2::uuid[]) AND wallet_id = $1::uuid`

interface ChargeRow {
  readonly request_id: string
  readonly cost: string | null
}

function chargeOf({ request_id: requestId, cost }: ChargeRow): RequestCharge {
  return { requestId, costNano: cost === null ? null : BigInt(cost) }
}
