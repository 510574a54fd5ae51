import { countingUuids } from '@ratchet/testing/counting-ids'
import { eventually } from '@ratchet/testing/eventually'
import { createHoldBatch } from './hold-batch.ts'
import { type Hold, type HoldOutcome, LedgerUnavailable } from './ledger.ts'

const newId = countingUuids()
const hold = (billingId = newId()): Hold => ({
  billingId,
  workspaceId: '00000000-0000-7000-9000-000000000001',
  amountNano: 1n,
  kind: 'chat',
  model: 'm',
  priceVersion: '1',
})
const all = (holds: readonly Hold[], outcome: HoldOutcome) =>
  new Map(holds.map(({ billingId }) => [billingId, outcome]))
const never = new Promise<never>(() => undefined)

it('sends each id once and answers further holds of it with open', async () => {
  const sent: number[] = []
  const batch = createHoldBatch({
    silenceMs: 1_000,
    maxMs: 1_000,
    takeHolds: async (holds) => {
      sent.push(holds.length)
      return all(holds, 'held')
    },
  })
  const one = hold()
  expect(await Promise.all([batch.hold(one), batch.hold(one), batch.hold(hold())])).toEqual(['held', 'open', 'held'])
  expect(sent).toEqual([2])
})

it('repeats a refused hold once, and uses the second answer', async () => {
  const asked: string[][] = []
  const [poor, unlucky, rich] = [hold(), hold(), hold()]
  const batch = createHoldBatch({
    silenceMs: 1_000,
    maxMs: 1_000,
    takeHolds: async (holds) => {
      asked.push(holds.map(({ billingId }) => billingId))
      const isFirst = asked.length === 1
      return new Map(
        holds.map((item) => [item.billingId, item === poor || (item === unlucky && isFirst) ? 'refused' : 'held']),
      )
    },
  })
  expect(await Promise.all([poor, unlucky, rich].map((item) => batch.hold(item)))).toEqual(['refused', 'held', 'held'])
  expect(asked).toEqual([
    [poor.billingId, unlucky.billingId, rich.billingId],
    [poor.billingId, unlucky.billingId],
  ])
})

it('repeats a capped hold once, each hold in a statement of its own', async () => {
  const sent: number[] = []
  const batch = createHoldBatch({
    silenceMs: 1_000,
    maxMs: 1_000,
    maxBatch: 1,
    takeHolds: async (holds) => {
      sent.push(holds.length)
      return all(holds, sent.length === 1 ? 'capped' : 'held')
    },
  })
  expect(await batch.hold(hold())).toBe('held')
  expect(await Promise.all([batch.hold(hold()), batch.hold(hold())])).toEqual(['held', 'held'])
  expect(sent).toEqual([1, 1, 1, 1])
})

it('fails in time when a statement does not answer, although it may still commit', async () => {
  const batch = createHoldBatch({ silenceMs: 10, maxMs: 10, takeHolds: () => never })
  await expect(batch.hold(hold())).rejects.toMatchObject({ name: 'LedgerUnavailable', uncertain: true })
})

it('fails in time for a hold that is still queued, and never sends it', async () => {
  const sent: string[] = []
  const finish: (() => void)[] = []
  const batch = createHoldBatch({
    silenceMs: 20,
    maxMs: 20,
    takeHolds: (holds) => {
      sent.push(...holds.map(({ billingId }) => billingId))
      return new Promise((resolve) => finish.push(() => resolve(all(holds, 'held'))))
    },
  })
  const running = [hold(), hold()]
  const answers: Promise<unknown>[] = []
  for (const item of running) {
    answers.push(batch.hold(item).catch((error: unknown) => error))
    await eventually(() => sent.includes(item.billingId))
  }
  const queued = hold()
  await expect(batch.hold(queued)).rejects.toMatchObject({ name: 'LedgerUnavailable', uncertain: false })
  for (const done of finish) done()
  await Promise.all(answers)
  await batch.idle()
  expect(sent).toEqual(running.map(({ billingId }) => billingId))
})

it('passes on why a statement failed', async () => {
  const batch = createHoldBatch({
    silenceMs: 1_000,
    maxMs: 1_000,
    takeHolds: async () => {
      throw new LedgerUnavailable('unavailable', { uncertain: false })
    },
  })
  await expect(batch.hold(hold())).rejects.toThrow('unavailable')
})
