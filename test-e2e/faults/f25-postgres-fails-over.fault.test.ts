import { connectPrisma } from '@ratchet/db/connect'
import { revokeApiKey } from '@ratchet/db/operator'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { describeFault } from './describe-fault.ts'
import { loadDuring, statusesOf, tenths } from './load.ts'
import { storesWith } from './own-stores.ts'
import { type Pair, promote, synchronousPair } from './standby.ts'

let pair: Pair
/** A fixed address that always leads to the primary. */
let address: ChaosProxy

describeFault(
  {
    id: 'F25',
    title: 'Postgres fails over to its synchronous standby under load',
    promise: 'no committed charge is lost: every delivered answer is charged on the new primary',
    async fleet(onStop) {
      pair = await synchronousPair(onStop)
      address = await startChaosProxy({ targetPort: pair.primary.port })
      onStop(address.stop)
      const database = new URL(pair.databaseUrl)
      database.port = String(address.port)
      const stores = await storesWith(onStop, { databaseUrl: database.href })
      return { stores, workspace: { balanceUsd: '1000.00' }, env: { DATABASE_SILENCE_MS: '250' } }
    },
  },
  (fault) => {
    it('finds every charge on the standby', async () => {
      let awayMs = 0
      const asked = await loadDuring(fault, { clients: 8, model: 'sim/echo' }, async () => {
        await elapse(3_000 + 1_000 * fault.random())
        const diedAt = performance.now()
        await pair.primary.kill()
        await promote(pair)
        address.aim(pair.standby.port)
        await eventually(async () => (await fault.ask({ model: 'sim/echo' })).status === 200, { withinMs: 45_000 })
        awayMs = performance.now() - diedAt
        await elapse(2_000)
      })
      const { posted, violations } = await ledgerAtRest(fault.fleet, fault.fleet.workspace)
      const { 200: delivered = 0, 503: refused = 0, ...others } = statusesOf(asked)
      fault.note('delivered, all charged', delivered)
      fault.note('charged', posted)
      fault.note('refused meanwhile', refused)
      fault.note('until chats were answered again, s', tenths(awayMs / 1_000))
      expect(others).toEqual({})
      // None is refused when the standby takes over before a process needs Postgres: it holds out of a block in memory.
      expect(delivered).toBeGreaterThan(200)
      expect(violations).toEqual([])
    }, 90_000)

    it('refuses a revoked key in the first request after it was revoked on the standby', async () => {
      const db = connectPrisma({ databaseUrl: fault.fleet.databaseUrl, max: 1 })
      try {
        const { apiKey, keyId } = await fault.fleet.workspace.addMember('member')
        const models = async () => {
          const answer = await fetch(`${fault.fleet.url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
          return answer.status
        }
        expect([await models(), await models()]).toEqual([200, 200])
        const revokedAt = performance.now()
        await revokeApiKey(db, { id: keyId, at: new Date() })
        fault.note('first revocation in a new timeline, s', tenths((performance.now() - revokedAt) / 1_000))
        expect(await models()).toBe(401)
      } finally {
        await db.$disconnect()
      }
    }, 60_000)
  },
)
