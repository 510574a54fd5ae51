import { eventually } from '@ratchet/testing/eventually'
import { staysTrueFor } from '@ratchet/testing/stays-true-for'
import { createKeyLease, type KeyChanges } from './key-lease.ts'
import { type LeaseRenewals, startLeaseRenewals } from './renew-lease.ts'

const alice = { keyId: 'k1', userId: 'alice', workspaceId: 'w', role: 'member' } as const
const joined: KeyChanges = { version: 7, oldestVersion: null, userIds: [] }

let renewals: LeaseRenewals
afterEach(() => renewals.stop())

function start() {
  const lease = createKeyLease({ maxKeys: 10, monotonicMs: () => performance.now(), wallMs: () => Date.now() })
  /** What was told to the store, and whether a key could be answered from memory at that moment. */
  const calls: string[] = []
  const note = (call: string) => calls.push(lease.isValid() ? `${call} while valid` : call)
  let leases = 0
  renewals = startLeaseRenewals({
    lease,
    store: {
      async join(id) {
        note(`join ${id}`)
        return joined
      },
      async renew() {
        return joined
      },
      async leave(id) {
        note(`leave ${id}`)
      },
    },
    newLeaseId: () => `lease${++leases}`,
    events: { keyLeaseLost() {}, keyLeaseHeld() {} },
    everyMs: 5,
    restAfter: 3,
  })
  return { lease, calls }
}

it('lets its lease go when no key is asked for, and forgets all keys before', async () => {
  const { lease, calls } = start()
  const asking = setInterval(() => lease.find('k1'), 1)
  await eventually(() => expect(lease.isValid()).toBe(true))
  lease.fill('k1', alice, lease.beforeRead())
  expect(lease.find('k1')).toEqual(alice)
  await staysTrueFor(100, () => expect(calls).toEqual(['join lease1']))
  clearInterval(asking)
  await eventually(() => expect(calls).toEqual(['join lease1', 'leave lease1']))
  expect(renewals.isResting).toBe(true)
  expect(lease.find('k1')).toBeNull()
})

it('takes no lease for a change of keys while it rests, and a new one for a key', async () => {
  const { lease, calls } = start()
  await eventually(() => expect(renewals.isResting).toBe(true))
  renewals.hurry()
  expect(renewals.isResting).toBe(true)
  const asking = setInterval(() => lease.find('k1'), 1)
  renewals.wake()
  await eventually(() => expect(lease.isValid()).toBe(true))
  clearInterval(asking)
  expect(calls.filter((call) => call.startsWith('join'))).toHaveLength(2)
})
