import { randomBytes, randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { readWallet } from '@ratchet/contracts/internal-wallet'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { signAsCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp } from '../app.ts'
import { silentProvider } from '../request/request-records.fixture.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { createPgLedger } from './pg-ledger.ts'
import { createPgWallets } from './pg-wallets.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/internal/wallet'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

function ask(workspaceId: string, audience = 'inference') {
  const requestId = randomUUID()
  const wallets = createPgWallets({ pool: database.pool, silenceMs: 5_000 })
  const app = createApp(testDeps(silentProvider, { identityKeys: [key], wallets }))
  const bound = { audience, requestId, method: 'GET', path }
  const identity = { workspaceId, userId: workspaceId, role: 'admin' as const, keyId: workspaceId }
  const vouched = {
    [requestIdHeader]: requestId,
    [identityHeader]: signAsCaller(key, bound, identity, testNow().getTime()),
  }
  return request(app).get(path).set(vouched)
}

describe('the wallet, for the services that spend it', () => {
  it('is the balance of the workspace without the holds of running requests', async () => {
    const workspaceId = await database.newWallet(9_007_199_254_740_993n)
    const ledger = createPgLedger({
      pool: database.pool,
      ownerId: randomUUID(),
      onEvent: () => undefined,
      holdTtlMs: 60_000,
      holdSilenceMs: 5_000,
      statementTimeoutMs: 5_000,
    })
    const asked = { workspaceId, amountNano: 1_000n, kind: 'eval', model: 'acme/fast', priceVersion: '1' }
    expect(await ledger.hold({ ...asked, billingId: randomUUID() })).toBe('held')
    const { status, body } = await ask(workspaceId)
    expect([status, readWallet.reply.parse(body)]).toEqual([
      200,
      { balance_nano: '9007199254740993', held_nano: '1000', available_nano: '9007199254739993' },
    ])
  })

  it('is empty for a workspace without credit, also when others have credit', async () => {
    await database.newWallet(5n)
    expect((await ask(randomUUID())).body).toEqual({ balance_nano: '0', held_nano: '0', available_nano: '0' })
  })

  it('is refused without a signed identity', async () => {
    expect((await ask(await database.newWallet(5n), 'logging')).status).toBe(401)
  })
})
