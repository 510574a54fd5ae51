import { createGroupCommit } from '@ratchet/service-kit/group-commit'
import { deriveBillingId } from './billing-id.ts'
import type { ClaimOutcome, KeptAnswer } from './idempotency.ts'
import type { RunIdempotency } from './pg-idempotency-runner.ts'

export interface ClaimItem {
  readonly workspaceId: string
  readonly keyHash: Buffer
  readonly fingerprint: Buffer
  readonly keepMs: number
}

export interface ClaimBatchOptions {
  readonly run: RunIdempotency
  readonly leaseMs: number
}

export interface ClaimBatch {
  claim(item: ClaimItem): Promise<ClaimOutcome>
}

/** Rounds after which a key that changes whenever it is looked at counts as somebody else's. */
const maxRounds = 5

/** Batches claims. One that only a fresh look can tell about goes into the next statement too. */
export function createClaimBatch(options: ClaimBatchOptions): ClaimBatch {
  const run = (items: readonly ClaimItem[]) => claimOnce(options, items)
  const batch = createGroupCommit({ run, overlapAfterMs: 5 })
  return {
    async claim(item) {
      checkItem(item)
      for (let round = 0; round < maxRounds; round += 1) {
        const outcome = await batch.add(item)
        if (outcome !== 'again') return outcome
      }
      return { kind: 'running' }
    },
  }
}

/** Asks for each key once; a second one of the same key has to be asked again. */
async function claimOnce(
  { run, leaseMs }: ClaimBatchOptions,
  items: readonly ClaimItem[],
): Promise<readonly (ClaimOutcome | 'again')[]> {
  const toSend = new Map<string, ClaimItem>()
  for (const item of items) if (!toSend.has(nameOf(item))) toSend.set(nameOf(item), item)
  const sent = [...toSend.values()]
  const rows = await run<ClaimRow>('claim', [
    sent.map(({ workspaceId }) => workspaceId),
    sent.map(({ keyHash }) => keyHash),
    sent.map(({ fingerprint }) => fingerprint),
    leaseMs,
    sent.map(({ keepMs }) => keepMs),
  ])
  const outcomes = new Map(sent.map((item, index) => [item, outcomeOf(item, rows[index])]))
  return items.map((item) => outcomes.get(item) ?? 'again')
}

function nameOf({ workspaceId, keyHash }: ClaimItem): string {
  return `${workspaceId.toLowerCase()}:${keyHash.toString('base64')}`
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null }

/** What the statement `claim` answers for a key: all null but `claimed` when it was claimed. */
interface ClaimRow extends Nullable<Pick<KeptAnswer, 'status' | 'dialect' | 'headers' | 'body'>> {
  readonly claimed: string | null
  readonly state: 'running' | 'answered' | null
  readonly generation: string | null
  readonly same: boolean | null
  readonly claimable: boolean | null
  readonly served_model: string | null
  readonly cost: string | null
}

function outcomeOf(item: ClaimItem, row: ClaimRow | undefined): ClaimOutcome | 'again' {
  if (row === undefined) return 'again'
  if (row.claimed !== null) {
    const { workspaceId, keyHash, keepMs } = item
    const work = { workspaceId, keyHash, generation: BigInt(row.claimed) }
    return { kind: 'claimed', claim: { ...work, billingId: deriveBillingId(work), keepMs } }
  }
  if (row.generation === null || row.claimable === true) return 'again'
  if (row.same !== true) return { kind: 'conflict_body' }
  const answer = row.state === 'answered' ? readAnswer(row) : null
  if (answer === null) return { kind: 'running' }
  return { kind: 'replay', billingId: deriveBillingId({ ...item, generation: BigInt(row.generation) }), answer }
}

/** A constraint of the table says that an answered record has all of these. */
function readAnswer({ status, dialect, served_model: servedModel, headers, body, cost }: ClaimRow): KeptAnswer | null {
  if (status === null || dialect === null || servedModel === null) return null
  if (headers === null || body === null || cost === null) return null
  return { status, dialect, servedModel, headers, body, costNano: BigInt(cost) }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** @throws RangeError, so that a wrong one fails by itself and not with all that share its statement */
function checkItem({ workspaceId, fingerprint }: ClaimItem): void {
  if (!uuid.test(workspaceId)) throw new RangeError(`not a workspace id: ${workspaceId}`)
  if (fingerprint.length !== 32) throw new RangeError(`a fingerprint has 32 bytes, not ${fingerprint.length}`)
}
