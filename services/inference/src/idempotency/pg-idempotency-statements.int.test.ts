import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { planSettings } from '../ledger/pg-ledger-statements.ts'
import { idempotencyStatements } from './pg-idempotency-statements.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase({ connections: 1 })
})
afterAll(() => database.drop())

it.each(Object.entries(idempotencyStatements))(
  '%s reaches records through an index, with a plan that an empty table was enough for',
  async (_, statement) => {
    const client = await database.pool.connect()
    await client.query(planSettings)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${statement}`)
    client.release(true)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toMatch(/Seq Scan/)
    expect(plan).toMatch(
      /(Index Scan (?:using|on)|Conflict Arbiter Indexes:) (idempotency_record_pkey|free_answer_bytes_(pkey|expires_on_idx))/,
    )
  },
)
