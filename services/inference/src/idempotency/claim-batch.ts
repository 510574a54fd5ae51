import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { deriveBillingId } from './billing-id.ts'
import type { ClaimOutcome, RecordedAnswer } from './idempotency.ts'
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

/** Number of reads after which a key that changes every time counts as being answered by another process. */
const maxRounds = 5

/** Batches claims. A claim whose outcome a second read must decide also joins the next statement. */
export function createClaimBatch(options: ClaimBatchOptions) {
  const run = (items: readonly ClaimItem[]) => claimOnce(options, items)
  const batch = createGroupCommit({ run, overlapAfterMs: 5 })
  return {
    async claim(item: ClaimItem): Promise<ClaimOutcome> {
      checkItem(item)
      for (let round = 0; round < maxRounds; round += 1) {
        const outcome = await batch.add(item)
        if (outcome !== 'again') return outcome
      }
      return { kind: 'running' }
    },
  }
}

/** Claims each key once. A second claim of the same key joins the next statement. */
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

/** A row of the statement `claim` for a key: all null except `claimed` when it was claimed. */
interface ClaimRow extends Nullable<Pick<RecordedAnswer, 'status' | 'dialect' | 'headers' | 'body'>> {
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

/** A constraint of the table guarantees that an answered record has all of these. */
function readAnswer({
  status,
  dialect,
  served_model: servedModel,
  headers,
  body,
  cost,
}: ClaimRow): RecordedAnswer | null {
  if (status === null || dialect === null || servedModel === null) return null
  if (headers === null || body === null || cost === null) return null
  return { status, dialect, servedModel, headers, body, costNano: BigInt(cost) }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** @throws RangeError, so that an invalid item fails by itself and not with all that share its statement */
function checkItem({ workspaceId, fingerprint }: ClaimItem): void {
  if (!uuid.test(workspaceId)) throw new RangeError(`not a workspace id: ${workspaceId}`)
  if (fingerprint.length !== 32) throw new RangeError(`a fingerprint has 32 bytes, not ${fingerprint.length}`)
}
