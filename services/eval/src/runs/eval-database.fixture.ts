import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgSamples } from '../samples/pg-samples.ts'
import type { LeasedSample, PlannedSample, SampleEnd } from '../samples/sample.ts'
import { newEval, plannedSample } from './eval.fixture.ts'
import type { LeasedEval, NewEval } from './eval-run.ts'
import { createPgEvals } from './pg-evals.ts'

/** Longer than any test runs, milliseconds. */
export const leaseMs = 60_000

export interface EvalDatabase {
  /** Has the rights of the eval service. */
  readonly pool: Pool
  /** Has all rights. */
  readonly operator: Pool
  /** Creates a PENDING eval. */
  create(more?: Partial<NewEval>): Promise<NewEval>
  /** Leases an eval that no process holds. */
  leaseEval(id: string): Promise<LeasedEval>
  /** Creates a RUNNING eval with these samples; one sample by default. */
  begin(more?: Partial<NewEval>, samples?: readonly PlannedSample[]): Promise<NewEval>
  /** Leases a sample that no process holds. */
  leaseSample(id: string): Promise<LeasedSample>
  /** Leases a sample and completes it. */
  completeSample(id: string, end?: Partial<SampleEnd>): Promise<void>
  evalRow(id: string): Promise<Readonly<Record<string, unknown>>>
  sampleRow(id: string): Promise<Readonly<Record<string, unknown>>>
  /** Ends the lease, or the delay before the next attempt. */
  passTime(table: 'eval_run' | 'eval_sample', id: string): Promise<void>
  drop(): Promise<void>
}

/** A database with helpers for the states in which tests begin. */
export async function evalDatabase(): Promise<EvalDatabase> {
  const database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_eval', max: 12 })
  const row = (table: string) => async (id: string) =>
    found((await operator.query(`SELECT * FROM ${table} WHERE id = $1`, [id])).rows[0])
  return {
    pool,
    operator,
    ...steps(pool),
    evalRow: row('eval_run'),
    sampleRow: row('eval_sample'),
    async passTime(table, id) {
      const column = table === 'eval_sample' ? 'due_at' : 'leased_until'
      await operator.query(`UPDATE ${table} SET ${column} = now() - interval '1 second' WHERE id = $1`, [id])
    },
    async drop() {
      await pool.end()
      await operator.end()
      await database.drop()
    },
  }
}

function steps(pool: Pool): Pick<EvalDatabase, 'create' | 'leaseEval' | 'begin' | 'leaseSample' | 'completeSample'> {
  const [evals, samples] = [createPgEvals(pool), createPgSamples(pool)]
  const own: ReturnType<typeof steps> = {
    async create(more) {
      const run = newEval(more)
      await evals.create(run)
      return run
    },
    leaseEval: async (id) => found(await evals.lease(id, leaseMs)),
    async begin(more, planned = [plannedSample()]) {
      const run = await own.create(more)
      await evals.begin(await own.leaseEval(run.id), planned)
      return run
    },
    leaseSample: async (id) => found(await samples.lease(id, leaseMs)),
    async completeSample(id, end = {}) {
      await samples.complete(await own.leaseSample(id), { outcomes: ['tie'], failure: null, ...end })
    },
  }
  return own
}

function found<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('The row does not exist.')
  return value
}
