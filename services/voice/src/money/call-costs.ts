import type { Pool } from '@ratchet/db/connect-pool'
import type { CallCost, CallCosts, PaidCall } from '../calls/call-money.ts'
import type { CallLedger } from './call-ledger.ts'
import { type CallLines, chargedLines, linesOf } from './call-lines.ts'
import type { SliceJournal, StoredSlice } from './slice-journal.ts'

type NamedCall = Pick<PaidCall, 'workspaceId' | 'callId'>

/** Requests of calls to language models. */
export interface ModelRequests {
  /** Before it is sent. */
  add(call: NamedCall, requestId: string): Promise<void>
  of(call: NamedCall): Promise<readonly ModelRequest[]>
  /** What requests cost, for good. */
  price(call: NamedCall, costs: ReadonlyMap<string, bigint>): Promise<void>
}

export interface ModelRequest {
  readonly requestId: string
  /** Null: not known yet. */
  readonly costNano: bigint | null
  /** Milliseconds since it was written down. */
  readonly ageMs: number
}

export function createPgModelRequests(pool: Pool): ModelRequests {
  return {
    async add({ workspaceId, callId }, requestId) {
      await pool.query(addStatement, [requestId, callId, workspaceId])
    },
    async of({ workspaceId, callId }) {
      const { rows } = await pool.query<RequestRow>(ofStatement, [callId, workspaceId])
      return rows.map(({ request_id: requestId, cost_nano: cost, age_ms: age }) => {
        return { requestId, costNano: cost === null ? null : BigInt(cost), ageMs: Number(age) }
      })
    },
    async price({ workspaceId }, costs) {
      await pool.query(priceStatement, [workspaceId, [...costs.keys()], [...costs.values()]])
    },
  }
}

const addStatement = `
  INSERT INTO call_request (request_id, call_id, workspace_id) VALUES ($1, $2, $3) ON CONFLICT (request_id) DO NOTHING`
const ofStatement = `
  SELECT request_id, cost_nano, extract(epoch FROM now() - requested_at) * 1000 AS age_ms FROM call_request
  WHERE call_id = $1 AND workspace_id = $2 ORDER BY requested_at LIMIT 10000`
const priceStatement = `
  UPDATE call_request r SET cost_nano = c.cost FROM unnest($2::uuid[], $3::bigint[]) AS c(request_id, cost)
  WHERE r.request_id = c.request_id AND r.workspace_id = $1 AND r.cost_nano IS NULL`

interface RequestRow {
  readonly request_id: string
  readonly cost_nano: string | null
  readonly age_ms: string
}

export interface CallCostsDeps {
  readonly journal: Pick<SliceJournal, 'of'>
  readonly requests: ModelRequests
  readonly ledger: Pick<CallLedger, 'charges'>
  readonly onError: (error: unknown) => void
}

/** A request that the ledger does not know for this long was refused, or had no answer. */
const unknownForMs = 300_000
const asked = 1_000

const nothing: CallLines = { recognitionNano: 0n, synthesisNano: 0n, platformNano: 0n }

export function createCallCosts({ journal, requests, ledger, onError }: CallCostsDeps): CallCosts {
  return {
    async read({ workspaceId, callId }) {
      const call = { workspaceId, callId }
      try {
        const [slices, models] = await Promise.all([journal.of(call), modelsCost({ requests, ledger }, call)])
        const isPosted = slices.every(({ chargedNano }) => chargedNano !== null)
        const cost: CallCost = {
          telephonyNano: 0n,
          ...slicesCost(slices),
          modelNano: models.nano,
          isSettled: isPosted && models.isKnown,
        }
        return cost
      } catch (error) {
        onError(error)
        return null
      }
    },
  }
}

/** The lines of what was charged, and of what will be. */
function slicesCost(slices: readonly StoredSlice[]): CallLines {
  const [first] = slices
  if (first === undefined) return nothing
  const usage = slices
    .map((slice) => slice.usage)
    .reduce((a, b) => ({
      answeredMs: Math.max(a.answeredMs, b.answeredMs),
      recognizedMs: Math.max(a.recognizedMs, b.recognizedMs),
      spokenCharacters: Math.max(a.spokenCharacters, b.spokenCharacters),
    }))
  const chargedNano = slices.reduce((sum, slice) => sum + (slice.chargedNano ?? slice.costNano), 0n)
  return chargedLines(linesOf(usage, first.rates), chargedNano)
}

interface ModelsCost {
  readonly nano: bigint
  readonly isKnown: boolean
}

async function modelsCost(
  { requests, ledger }: Pick<CallCostsDeps, 'requests' | 'ledger'>,
  call: NamedCall,
): Promise<ModelsCost> {
  const all = await requests.of(call)
  const open = all.filter(({ costNano }) => costNano === null).slice(0, asked)
  const ids = open.map(({ requestId }) => requestId)
  const charges = ids.length === 0 ? new Map<string, bigint | null>() : await ledger.charges(call.workspaceId, ids)
  const found = new Map<string, bigint>()
  for (const { requestId, ageMs } of open) {
    const charge = charges.get(requestId)
    if (charge !== undefined && charge !== null) found.set(requestId, charge)
    else if (charge === undefined && ageMs >= unknownForMs) found.set(requestId, 0n)
  }
  if (found.size > 0) await requests.price(call, found)
  const costs = all.map(({ requestId, costNano }) => costNano ?? found.get(requestId) ?? null)
  return {
    nano: costs.reduce((sum: bigint, cost) => sum + (cost ?? 0n), 0n),
    isKnown: costs.every((cost) => cost !== null),
  }
}
