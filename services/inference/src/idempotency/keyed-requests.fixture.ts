import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { elapse } from '@ratchet/testing/elapse'
import { seededRandom } from '@ratchet/testing/seeded-random'
import type { LedgerDatabase } from '../ledger/ledger-database.fixture.ts'
import type { LedgerStore } from '../ledger/ledger-store.ts'
import { createPgLedger } from '../ledger/pg-ledger.ts'
import { sweepLedger } from '../ledger/pg-ledger-sweeper.ts'
import type { Claim, ClaimQuestion, IdempotencyStore, RecordedAnswer } from './idempotency.ts'
import { hashIdempotencyKey } from './idempotency-key.ts'
import { createPgIdempotencyStore } from './pg-idempotency.ts'
import type { IdempotencyStatements } from './pg-idempotency-statements.ts'

/** The points at which a process may be killed: after the named step and before the next. */
const deaths = ['claimed', 'held', 'called', 'recorded', 'settled', 'replayed'] as const
type Death = (typeof deaths)[number]

interface Process {
  readonly store: IdempotencyStore
  readonly ledger: LedgerStore
  readonly pool: Pool
}

/** The results of a run. */
export interface KeyedRequestsReport {
  /** The answers that were charged, by key. */
  readonly answers: ReadonlyMap<string, ReadonlySet<string>>
  readonly providerCalls: number
  /** Number of answers that were not charged, because another process had taken over. */
  readonly lost: number
  readonly postedRequests: number
  readonly balanceNano: bigint
  readonly heldNano: bigint
  /** Number of holds of an id that had been used before. */
  readonly usedTwice: number
}

export interface KeyedRequestsOptions {
  readonly database: LedgerDatabase
  readonly seed: number
  readonly keys: number
  readonly rounds: number
  readonly statements?: IdempotencyStatements
}

/**
 * Maximum duration of a provider call, and of the time in which the requests of a round begin, so that they overlap.
 */
const maxMs = 15

interface RequestEnd {
  readonly death: Death | null
  readonly callMs: number
}

export const costNano = 7n
export const startNano = 1_000_000n

/**
 * Sends requests with few keys to three processes at once. The processes are killed at any point, and their leases
 * expire while they work. At the end every key is retried until it is answered.
 */
export async function runKeyedRequests(options: KeyedRequestsOptions): Promise<KeyedRequestsReport> {
  const { database, seed, keys: keyCount, rounds } = options
  const random = seededRandom(seed)
  const run = new KeyedRequests(options, await database.newWallet(startNano))
  const keys = Array.from({ length: keyCount }, () => randomUUID())
  for (let round = 0; round < rounds; round += 1) {
    const attempts = Array.from({ length: 12 }, () => {
      const key = keys[Math.floor(random() * keyCount)] ?? ''
      const death = random() < 0.6 ? pick(deaths, random()) : null
      const [startMs, callMs, process] = [random() * maxMs, random() * maxMs, Math.floor(random() * 3)]
      return after(startMs, () => run.serve(process, key, { death, callMs }))
    })
    const ends = [random(), random()].map((unit) => after(unit * 2 * maxMs, () => run.endLeases()))
    await Promise.all([...attempts, ...ends])
    if (random() < 0.5) await run.sweepHolds()
  }
  for (const key of keys) {
    while (!(await run.serve(0, key, { death: null, callMs: 0 }))) await run.endLeases()
  }
  return run.report()
}

class KeyedRequests {
  readonly #processes: readonly Process[]
  readonly #database: LedgerDatabase
  readonly #workspaceId: string
  readonly #answers = new Map<string, Set<string>>()
  #providerCalls = 0
  #lost = 0
  #usedTwice = 0

  constructor({ database, statements }: KeyedRequestsOptions, workspaceId: string) {
    this.#database = database
    this.#workspaceId = workspaceId
    this.#processes = [1, 2, 3].map(() => startProcess(database, statements))
  }

  /** One request; true when its client got an answer. */
  async serve(process: number, key: string, end: RequestEnd): Promise<boolean> {
    const { store, ledger } = this.#processes[process] ?? startProcess(this.#database, undefined)
    const outcome = await store.claim(this.#question(key))
    if (outcome.kind === 'replay') {
      if (end.death === 'replayed') return false
      await this.#settle(ledger, outcome.billingId)
      return this.#deliver(key, outcome.answer)
    }
    return outcome.kind === 'claimed' ? this.#work({ store, ledger }, { key, claim: outcome.claim, ...end }) : false
  }

  async #work(
    { store, ledger }: Pick<Process, 'store' | 'ledger'>,
    { key, claim, death, callMs }: RequestEnd & { readonly key: string; readonly claim: Claim },
  ): Promise<boolean> {
    if (death === 'claimed') return false
    if ((await this.#hold(ledger, claim.billingId)) !== 'held') this.#usedTwice += 1
    if (death === 'held') return false
    this.#providerCalls += 1
    await elapse(callMs)
    const answer = answerOf()
    if (death === 'called') return false
    if ((await store.record(claim, answer)) === 'lost') {
      this.#lost += 1
      await this.#close(ledger, claim.billingId, 'voided')
      return true
    }
    if (death === 'recorded') return false
    await this.#settle(ledger, claim.billingId)
    return death === 'settled' ? false : this.#deliver(key, answer)
  }

  #question(key: string): ClaimQuestion {
    return { workspaceId: this.#workspaceId, key, fingerprint: hashIdempotencyKey(`body of ${key}`) }
  }

  #hold(ledger: LedgerStore, billingId: string) {
    const workspaceId = this.#workspaceId
    return ledger.hold({
      billingId,
      workspaceId,
      amountNano: 100n,
      kind: 'chat',
      model: 'sim/large',
      priceVersion: '1',
    })
  }

  #settle(ledger: LedgerStore, billingId: string) {
    return this.#close(ledger, billingId, 'posted')
  }

  #close(ledger: LedgerStore, billingId: string, outcome: 'posted' | 'voided') {
    const cost = outcome === 'posted' ? costNano : 0n
    return ledger.close({ billingId, workspaceId: this.#workspaceId, costNano: cost, outcome })
  }

  #deliver(key: string, { body }: RecordedAnswer): boolean {
    this.#answers.set(key, (this.#answers.get(key) ?? new Set()).add(body.toString()))
    return true
  }

  async endLeases(): Promise<void> {
    await this.#database.operator.query(
      "UPDATE idempotency_record SET lease_until = now() - interval '1 ms' WHERE workspace_id = $1 AND state = 'running'",
      [this.#workspaceId],
    )
  }

  async sweepHolds(): Promise<void> {
    await sweepLedger({ pool: this.#database.pool, everyMs: 0, missedSweeps: 1, onEvent: () => undefined })
  }

  async report(): Promise<KeyedRequestsReport> {
    await this.sweepHolds()
    for (const { pool } of this.#processes) await pool.end()
    const { rows } = await this.#database.operator.query(
      "SELECT count(*)::int AS posted FROM billing_request WHERE wallet_id = $1 AND state = 'posted'",
      [this.#workspaceId],
    )
    return {
      answers: this.#answers,
      providerCalls: this.#providerCalls,
      lost: this.#lost,
      usedTwice: this.#usedTwice,
      postedRequests: rows[0].posted,
      ...(await this.#database.wallet(this.#workspaceId)),
    }
  }
}

function startProcess({ url }: LedgerDatabase, statements: IdempotencyStatements | undefined): Process {
  const pool = connectPool({ databaseUrl: url, role: 'ratchet_inference', max: 6 })
  const patient = { pool, silenceMs: 10_000, statementTimeoutMs: 10_000 }
  const ledger = createPgLedger({
    pool,
    ownerId: randomUUID(), // an owner without a heartbeat and with expired deadlines: any sweep closes its holds
    onEvent: () => undefined,
    holdTtlMs: -1_000,
    holdSilenceMs: 10_000,
    statementTimeoutMs: 10_000,
  })
  return { pool, ledger, store: createPgIdempotencyStore({ ...patient, ...(statements && { statements }) }) }
}

function answerOf(): RecordedAnswer {
  const body = Buffer.from(randomUUID())
  return { status: 200, dialect: 'chat', servedModel: 'sim/large', headers: {}, body, costNano }
}

async function after<T>(ms: number, work: () => Promise<T>): Promise<T> {
  await elapse(ms)
  return work()
}

function pick<T>(items: readonly T[], unit: number): T | null {
  return items[Math.floor(unit * items.length)] ?? null
}
