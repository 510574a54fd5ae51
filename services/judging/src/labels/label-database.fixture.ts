import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { freezeExchange } from './freeze-exchange.ts'
import type { NewLabel } from './label.ts'

export interface LabelDatabase {
  /** Pool with the privileges of judging. */
  readonly pool: Pool
  /** With all privileges. */
  readonly operator: Pool
  drop(): Promise<void>
}

export async function labelDatabase(): Promise<LabelDatabase> {
  const database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_judging', max: 12, connectTimeoutMs: 30_000 })
  return {
    pool,
    operator,
    async drop() {
      await pool.end()
      await operator.end()
      await database.drop()
    },
  }
}

export interface LabelChoices extends Partial<Omit<NewLabel, 'snapshot'>> {
  /** Text of the answer. */
  readonly content?: string
}

export function newLabel({ content = 'Four.', ...choices }: LabelChoices): NewLabel {
  const logId = choices.logId === undefined ? randomUUID() : choices.logId
  return {
    id: randomUUID(),
    workspaceId: randomUUID(),
    criterionId: null,
    unit: 'request',
    traceId: null,
    itemKey: logId ?? 'item',
    label: 'pass',
    rationale: null,
    graderId: 'ann',
    source: 'api',
    blind: false,
    externalId: null,
    tag: null,
    segment: 'none',
    sampling: null,
    createdBy: randomUUID(),
    createdAt: new Date(),
    ...choices,
    logId,
    snapshot: freezeExchange({
      messages: [{ role: 'user', content: '2 + 2?' }],
      response: { role: 'assistant', content },
      tools: null,
      model: 'acme/fast',
    }),
  }
}
