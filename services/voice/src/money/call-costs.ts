import type { CallCost, CallCosts } from '../calls/call-money.ts'
import type { CallLedger } from './call-ledger.ts'
import { type CallLines, chargedLines, linesOf } from './call-lines.ts'
import type { ModelRequests, NamedCall } from './model-requests.ts'
import type { SliceJournal, StoredSlice } from './slice-journal.ts'

export interface CallCostsDeps {
  readonly journal: Pick<SliceJournal, 'of'>
  readonly requests: ModelRequests
  readonly ledger: Pick<CallLedger, 'charges'>
  readonly onError: (error: unknown) => void
}

/** A request that the ledger does not know for this long was refused, or had no answer. */
const unknownForMs = 300_000
const asked = 1_000

const nothing: CallLines = { telephonyNano: 0n, recognitionNano: 0n, synthesisNano: 0n, platformNano: 0n }

export function createCallCosts({ journal, requests, ledger, onError }: CallCostsDeps): CallCosts {
  return {
    async read({ workspaceId, callId }) {
      const call = { workspaceId, callId }
      try {
        const [slices, models] = await Promise.all([journal.of(call), modelsCost({ requests, ledger }, call)])
        const isPosted = slices.every(({ chargedNano }) => chargedNano !== null)
        const cost: CallCost = {
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
