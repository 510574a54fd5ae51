import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { ledgerStatements, planSettings } from './pg-ledger-statements.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase({ connections: 1 })
})
afterAll(() => database.drop())

const { hold, holdCapped, close, latePost, checkpoint, sweep } = ledgerStatements

it.each(Object.entries({ hold, holdCapped, close, latePost, checkpoint, sweep }))(
  '%s reaches requests and wallets through an index, with a plan that an empty table was enough for',
  async (_, statement) => {
    const client = await database.pool.connect()
    await client.query(planSettings)
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${statement}`)
    client.release(true)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toMatch(/Seq Scan/)
    expect(plan).toMatch(/Index Scan using billing_request_pkey/)
  },
)

it.each(Object.entries({ hold, holdCapped, close, latePost, checkpoint }))(
  '%s does not walk the index of open requests, which grows with the streams',
  async (_, statement) => {
    const client = await database.pool.connect()
    await client.query(planSettings)
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${statement}`)
    client.release(true)
    expect(JSON.stringify(rows)).not.toMatch(/billing_request_open_idx/)
  },
)
