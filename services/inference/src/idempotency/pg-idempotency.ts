import type { Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { BatchQueueFull, createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import { createClaimBatch } from './claim-batch.ts'
import {
  type Claim,
  type ClaimOutcome,
  type IdempotencyStore,
  IdempotencyUnavailable,
  maxFreeBytesOfWorkspace,
  maxRecordedBodyBytes,
  type RecordedAnswer,
} from './idempotency.ts'
import { hashIdempotencyKey } from './idempotency-key.ts'
import { idempotencyRunner, type RunIdempotency } from './pg-idempotency-runner.ts'
import type { IdempotencyStatements } from './pg-idempotency-statements.ts'

export interface PgIdempotencyOptions {
  /** Connections with the role `ratchet_inference`. Their plan settings fit only such statements. */
  readonly pool: Pool
  /** Milliseconds after which a claim expires without an extension. */
  readonly leaseMs?: number
  /** Milliseconds for which an answer is recorded when its request does not say. */
  readonly keepMs?: number
  /** Milliseconds without any answer after which the database counts as unavailable. */
  readonly silenceMs?: number
  /** Milliseconds to wait for a statement of a database that answers. */
  readonly statementTimeoutMs?: number
  /** Bytes of recorded answers that cost nothing, of one workspace. */
  readonly maxFreeBytes?: number
  readonly statements?: IdempotencyStatements
}

/** Idempotency keys in Postgres: every call joins the next statement of its kind. */
export function createPgIdempotencyStore(options: PgIdempotencyOptions): IdempotencyStore {
  const { leaseMs = 30_000, keepMs = dayMs, silenceMs = 250, statementTimeoutMs = 2_000 } = options
  const pulse = createHeartbeat()
  const run = idempotencyRunner({ ...options, statementTimeoutMs, pulse })
  const claims = createClaimBatch({ run, leaseMs })
  const extensions = createGroupCommit({
    run: (items: readonly Claim[]) => writeClaims(run, 'extend', items, leaseMs),
  })
  const abandonments = createGroupCommit({ run: (items: readonly Claim[]) => writeClaims(run, 'abandon', items) })
  // few in one statement, because each may be large
  const answers = createGroupCommit({
    run: (items: readonly Recording[]) => recordAnswers(run, items),
    maxBatch: 20,
  })
  const freeAnswers = createGroupCommit({
    run: (items: readonly Recording[]) => countFree(run, items, options.maxFreeBytes ?? maxFreeBytesOfWorkspace),
    maxInFlight: 1,
  })
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    withTimeout(work, { silenceMs, maxMs: statementTimeoutMs, pulse, onLate }).catch(asUnavailable)

  async function abandon(claim: Claim): Promise<void> {
    await inTime(abandonments.add(claim)).catch(() => undefined)
  }

  /** An answer that was paid is always recorded, so that a retry is not charged again. */
  async function fitsShare(recording: Recording): Promise<boolean> {
    return recording.answer.costNano > 0n || inTime(freeAnswers.add(recording))
  }

  function release(outcome: ClaimOutcome): void {
    if (outcome.kind === 'claimed') void abandon(outcome.claim)
  }

  return {
    claim({ workspaceId, key, fingerprint, keepMs: ownKeepMs = keepMs }) {
      const item = { workspaceId, keyHash: hashIdempotencyKey(key), fingerprint, keepMs: ownKeepMs }
      const work = claims.claim(item)
      return inTime(work).catch((error: unknown) => {
        work.then(release, () => undefined) // it may still be claimed, and no process would answer it
        throw error
      })
    },
    extend: (claim) => inTime(extensions.add(claim)),
    async record(claim, answer) {
      if (answer.body.length <= maxRecordedBodyBytes && (await fitsShare({ claim, answer }))) {
        return (await inTime(answers.add({ claim, answer }))) ? 'recorded' : 'lost'
      }
      await abandon(claim)
      return 'too_large'
    },
    abandon,
  }
}

function onLate(waitedMs: number): Error {
  return new IdempotencyUnavailable(`no answer about an idempotency key in ${Math.round(waitedMs)} ms`)
}

/** An error that is neither an outage nor an overload is a bug, and is passed on unchanged. */
function asUnavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable) && !(cause instanceof BatchQueueFull)) throw cause
  throw new IdempotencyUnavailable('the records of idempotency keys do not answer', { cause })
}

async function writeClaims(
  run: RunIdempotency,
  name: 'extend' | 'abandon',
  claims: readonly Claim[],
  ...more: readonly unknown[]
): Promise<readonly boolean[]> {
  return atPlaces(claims, await run<PlaceRow>(name, [...idsOf(claims), ...more]))
}

interface Recording {
  readonly claim: Claim
  readonly answer: RecordedAnswer
}

async function recordAnswers(run: RunIdempotency, items: readonly Recording[]): Promise<readonly boolean[]> {
  const answers = items.map(({ answer }) => answer)
  const bodies = answers.map(({ body }) => body)
  const values = [
    ...idsOf(items.map(({ claim }) => claim)),
    answers.map(({ status }) => status),
    answers.map(({ dialect }) => dialect),
    answers.map(({ servedModel }) => servedModel),
    answers.map(({ headers }) => JSON.stringify(headers)),
    answers.map(({ costNano }) => costNano),
    startsOf(bodies),
    bodies.map(({ length }) => length),
    Buffer.concat(bodies),
    items.map(({ claim }) => claim.keepMs),
  ]
  return atPlaces(items, await run<PlaceRow>('record', values))
}

async function countFree(
  run: RunIdempotency,
  items: readonly Recording[],
  maxBytes: number,
): Promise<readonly boolean[]> {
  const values = [
    items.map(({ claim }) => claim.workspaceId),
    items.map(({ answer }) => answer.body.length),
    items.map(({ claim }) => claim.keepMs),
    maxBytes,
  ]
  return atPlaces(items, await run<PlaceRow>('countFree', values))
}

/** The start of each body in the concatenation of all, from 1. */
function startsOf(bodies: readonly Buffer[]): readonly number[] {
  let next = 1
  return bodies.map(({ length }) => {
    const start = next
    next += length
    return start
  })
}

interface PlaceRow {
  /** The index of the item, from 1. */
  readonly place: string
}

function atPlaces(items: readonly unknown[], rows: readonly PlaceRow[]): readonly boolean[] {
  const places = new Set(rows.map(({ place }) => Number(place)))
  return items.map((_, index) => places.has(index + 1))
}

function idsOf(claims: readonly Claim[]): readonly unknown[] {
  return [
    claims.map(({ workspaceId }) => workspaceId),
    claims.map(({ keyHash }) => keyHash),
    claims.map(({ generation }) => generation),
  ]
}
