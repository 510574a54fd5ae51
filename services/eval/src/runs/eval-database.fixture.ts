import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgSamples } from '../samples/pg-samples.ts'
import type { LeasedSample, PlannedSample, SampleEnd } from '../samples/sample.ts'
import { newEval, plannedSample } from './eval.fixture.ts'
import type { LeasedEval, NewEval } from './eval-run.ts'
import { createPgEvals } from './pg-evals.ts'

/** Long enough for any test, milliseconds. */
export const leaseMs = 60_000

export interface EvalDatabase {
  /** With the rights of eval. */
  readonly pool: Pool
  /** With all rights. */
  readonly operator: Pool
  /** Makes an eval that is PENDING. */
  create(more?: Partial<NewEval>): Promise<NewEval>
  /** Takes an eval on that nobody has. */
  leaseEval(id: string): Promise<LeasedEval>
  /** Makes an eval with these samples that is RUNNING; one sample unless it is said otherwise. */
  begin(more?: Partial<NewEval>, samples?: readonly PlannedSample[]): Promise<NewEval>
  /** Takes a sample on that nobody has. */
  leaseSample(id: string): Promise<LeasedSample>
  /** Takes a sample on and ends it. */
  completeSample(id: string, end?: Partial<SampleEnd>): Promise<void>
  evalRow(id: string): Promise<Readonly<Record<string, unknown>>>
  sampleRow(id: string): Promise<Readonly<Record<string, unknown>>>
  /** A lease, or the wait before the next attempt, is over. */
  passTime(table: 'eval_run' | 'eval_sample', id: string): Promise<void>
  drop(): Promise<void>
}

/** A database of evals, with short ways to the states that tests begin in. */
export async function evalDatabase(): Promise<EvalDatabase> {
  const database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_eval', max: 12 })
  const row = (table: string) => async (id: string) =>
    found((await operator.query(`SELECT * FROM ${table} WHERE id = $1`, [id])).rows[0])
  return {
    ...{ pool, operator, ...steps(pool) },
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
  if (value === null || value === undefined) throw new Error('there is none')
  return value
}
