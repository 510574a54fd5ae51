import { costNanoHeader, type Identity, requestIdHeader } from '@ratchet/contracts/identity'
import type { CollectedAnswer } from '@ratchet/http/collect-answer'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { type FleetCallError, type FleetClient, refusalOf } from '@ratchet/service-kit/fleet/fleet-client'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import type { LeasedLine, LineEnd } from './batch.ts'
import type { LineStore } from './batch-store.ts'

export interface AnswerLineDeps {
  readonly lines: Pick<LineStore, 'begin'>
  readonly inference: Pick<FleetClient, 'send'>
}

/** Failed attempts after which the failure is the answer. */
const maxTries = 3
const walletDelayMs = 60_000
const busyDelayMs = 3_000

/**
 * Sends one request of a batch, under an `Idempotency-Key` of its own: a repetition is neither asked nor charged twice. Its
 * money is taken out of what the batch holds.
 *
 * @throws WorkPostponed while the wallet, a budget or the service does not allow it
 * @throws FleetCallError when another attempt may succeed
 */
export async function answerLine({ lines, inference }: AnswerLineDeps, line: LeasedLine): Promise<LineEnd> {
  const { batch, body, id } = line
  const { reservedNano, mayRun } = await lines.begin(line)
  if (!mayRun) return { error: 'caller_revoked' }
  const identity = lineIdentity(line, reservedNano)
  const headers = { ...batch.headers, 'idempotency-key': id }
  const path = batch.endpoint
  const answer = await inference.send({ method: 'POST', path, route: path, headers, body }, identity)
  if (answer.status !== 200) refuseForNow(refusalOf('inference', answer), line.failures)
  return {
    statusCode: answer.status,
    requestId: String(answer.headers[requestIdHeader] ?? ''),
    response: answer.body.toString('utf8'),
    costNano: costOf(answer),
  }
}

function lineIdentity({ batch }: LeasedLine, reservedNano: bigint): Identity {
  const { workspaceId, createdBy, keyId, id } = batch
  return {
    ...workerIdentity(workspaceId, createdBy),
    keyId,
    channel: 'batch',
    batchHold: { id, keepNano: String(reservedNano) },
  }
}

/** @throws unless the refusal is the answer to the request */
function refuseForNow(refusal: FleetCallError, failures: number): void {
  const { code, status } = refusal
  if (code === 'insufficient_balance' || code === 'budget_exceeded') {
    throw new WorkPostponed(refusal.message, walletDelayMs)
  }
  if (code === 'conflict' || status === 429 || status === 503) throw new WorkPostponed(refusal.message, busyDelayMs)
  // Of this process, and not of the request.
  if (status === 401) throw refusal
  if (refusal.mayPass && failures + 1 < maxTries) throw refusal
}

/** Of a refusal, nothing. */
function costOf({ status, headers }: CollectedAnswer): bigint {
  const cost = headers[costNanoHeader]
  if (typeof cost === 'string' && /^\d{1,19}$/.test(cost)) return BigInt(cost)
  if (status === 200) throw new Error(`the answer of inference has no valid ${costNanoHeader} header`)
  return 0n
}
