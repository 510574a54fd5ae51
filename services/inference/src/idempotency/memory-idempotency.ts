import { dayMs } from '@ratchet/service-kit/timing/durations'
import { deriveBillingId } from './billing-id.ts'
import {
  type Claim,
  type ClaimOutcome,
  type ClaimQuestion,
  type IdempotencyStore,
  maxFreeBytesOfWorkspace,
  maxRecordedBodyBytes,
  type RecordedAnswer,
} from './idempotency.ts'
import { hashIdempotencyKey } from './idempotency-key.ts'

export interface MemoryIdempotencyOptions {
  readonly now: () => Date
  readonly leaseMs?: number
  readonly keepMs?: number
  /** Bytes of recorded answers that cost nothing, of one workspace. */
  readonly maxFreeBytes?: number
}

export interface MemoryIdempotencyStore extends IdempotencyStore {
  readonly size: number
  /** Deletes expired records, as the sweeper does. */
  sweep(): number
}

interface KeyRecord {
  readonly fingerprint: Buffer
  readonly claim: Claim
  readonly leaseUntilMs: number
  readonly expiresAtMs: number
  /** Null while it is running. */
  readonly answer: RecordedAnswer | null
}

/** Idempotency keys in memory. It is the reference for the real store, and replaces it in tests. */
export function createMemoryIdempotencyStore(options: MemoryIdempotencyOptions): MemoryIdempotencyStore {
  const { now, leaseMs = 30_000, keepMs = dayMs, maxFreeBytes = maxFreeBytesOfWorkspace } = options
  const records = new Map<string, KeyRecord>()
  let generation = 0n

  function ownRecord(claim: Claim): KeyRecord | null {
    const record = records.get(nameOf(claim))
    return record?.claim.generation === claim.generation ? record : null
  }

  function freeBytesOf(workspaceId: string): number {
    return [...records.values()]
      .filter(({ claim, answer }) => claim.workspaceId === workspaceId && answer?.costNano === 0n)
      .reduce((sum, { answer }) => sum + (answer?.body.length ?? 0), 0)
  }

  function fits({ workspaceId }: Claim, { body, costNano }: RecordedAnswer): boolean {
    if (body.length > maxRecordedBodyBytes) return false
    return costNano > 0n || freeBytesOf(workspaceId) + body.length <= maxFreeBytes
  }

  function start({ workspaceId, key, fingerprint, keepMs: ownKeepMs = keepMs }: ClaimQuestion): ClaimOutcome {
    generation += 1n
    const work = { workspaceId, keyHash: hashIdempotencyKey(key), generation }
    const claim = { ...work, billingId: deriveBillingId(work), keepMs: ownKeepMs }
    const nowMs = now().getTime()
    const times = { leaseUntilMs: nowMs + leaseMs, expiresAtMs: nowMs + ownKeepMs }
    records.set(nameOf(claim), { fingerprint, claim, ...times, answer: null })
    return { kind: 'claimed', claim }
  }

  return {
    get size() {
      return records.size
    },
    async claim(question) {
      const nowMs = now().getTime()
      const record = records.get(nameOf({ ...question, keyHash: hashIdempotencyKey(question.key) }))
      if (record === undefined || record.expiresAtMs <= nowMs) return start(question)
      if (!record.fingerprint.equals(question.fingerprint)) return { kind: 'conflict_body' }
      const { claim, answer } = record
      if (answer !== null) return { kind: 'replay', billingId: claim.billingId, answer }
      return record.leaseUntilMs <= nowMs ? start(question) : { kind: 'running' }
    },
    async extend(claim) {
      const record = ownRecord(claim)
      if (record === null || record.answer !== null) return false
      records.set(nameOf(claim), { ...record, leaseUntilMs: now().getTime() + leaseMs })
      return true
    },
    async record(claim, answer) {
      const record = ownRecord(claim)
      if (!fits(claim, answer)) {
        if (record !== null) records.delete(nameOf(claim))
        return 'too_large'
      }
      if (record === null) return 'lost'
      records.set(nameOf(claim), { ...record, answer, expiresAtMs: now().getTime() + claim.keepMs })
      return 'recorded'
    },
    async abandon(claim) {
      if (ownRecord(claim)?.answer === null) records.delete(nameOf(claim))
    },
    sweep() {
      const over = [...records].filter(([, { expiresAtMs }]) => expiresAtMs <= now().getTime())
      for (const [name] of over) records.delete(name)
      return over.length
    },
  }
}

function nameOf({ workspaceId, keyHash }: Pick<Claim, 'workspaceId' | 'keyHash'>): string {
  return `${workspaceId}:${keyHash.toString('hex')}`
}
