import type { Pool } from '@ratchet/db/connect-pool'
import type { Heartbeat } from '@ratchet/service-kit/timing/with-timeout'
import { runStatement } from '../ledger/pg-run-statement.ts'
import { type IdempotencyStatements, idempotencyStatements } from './pg-idempotency-statements.ts'

export interface RunnerOptions {
  readonly pool: Pool
  readonly statementTimeoutMs: number
  readonly statements?: IdempotencyStatements
  /** Beats whenever the database answers. */
  readonly pulse: Heartbeat
}

/** Runs one of the statements by its name. */
export type RunIdempotency = <Row>(
  name: keyof IdempotencyStatements,
  values: readonly unknown[],
) => Promise<readonly Row[]>

export function idempotencyRunner(options: RunnerOptions): RunIdempotency {
  const { pool, statementTimeoutMs: timeoutMs, statements = idempotencyStatements, pulse } = options
  return async <Row>(name: keyof IdempotencyStatements, values: readonly unknown[]) => {
    const rows = await runStatement<Row>(pool, {
      name: `idempotency_${name}`,
      text: statements[name],
      values,
      timeoutMs,
    })
    pulse.beat()
    return rows
  }
}
