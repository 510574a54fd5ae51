import { randomUUID } from 'node:crypto'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { LedgerUnderTest } from './ledger.contract.ts'
import type { Hold, SpendCap } from './ledger.ts'

const week = 7 * dayMs

/** The behaviour of every ledger store with spend caps; both the real one and the one in memory run it. */
export function spendCapContract(name: string, open: () => Promise<LedgerUnderTest>): void {
  const capOf = (capNano: bigint, changes: Partial<SpendCap> = {}): SpendCap => ({
    id: randomUUID(),
    windowStart: new Date('2026-11-16T00:00:00Z'),
    capNano,
    ...changes,
  })
  const holdOf = (workspaceId: string, amountNano: bigint, cap?: SpendCap): Hold => ({
    billingId: randomUUID(),
    workspaceId,
    amountNano,
    kind: 'judge',
    model: 'sim/large',
    priceVersion: '1',
    ...(cap === undefined ? {} : { cap }),
  })
  const closing = ({ billingId, workspaceId }: Hold) => ({ billingId, workspaceId })
  const posted = (hold: Hold, costNano: bigint) => ({ ...closing(hold), costNano, outcome: 'posted' as const })
  const released = (hold: Hold) => ({ ...closing(hold), costNano: 0n, outcome: 'voided' as const })

  describe(name, () => {
    it('holds up to the last nano-dollar of the cap, and refuses one more without touching the wallet', async () => {
      const { store, newWallet, wallet, cap: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const cap = capOf(100n)
      expect(await store.hold(holdOf(workspaceId, 60n, cap))).toBe('held')
      expect(await store.hold(holdOf(workspaceId, 41n, cap))).toBe('capped')
      expect(await store.hold(holdOf(workspaceId, 40n, cap))).toBe('held')
      expect(await store.hold(holdOf(workspaceId, 0n, cap))).toBe('held')
      expect(await read(workspaceId, cap)).toEqual({ capNano: 100n, spentNano: 0n, heldNano: 100n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 100n })
    })

    it('reports a hold that the wallet does not cover as refused, whatever the cap covers, and takes nothing from the cap', async () => {
      const { store, newWallet, cap: read } = await open()
      const workspaceId = await newWallet(50n)
      const [wide, narrow] = [capOf(100n), capOf(10n)]
      expect(await store.hold(holdOf(workspaceId, 51n, wide))).toBe('refused')
      expect(await store.hold(holdOf(workspaceId, 51n, narrow))).toBe('refused')
      expect(await store.hold(holdOf(randomUUID(), 0n, wide))).toBe('refused')
      expect(await read(workspaceId, wide)).toEqual({ capNano: 0n, spentNano: 0n, heldNano: 0n })
    })

    it('never exceeds the cap, however many holds arrive at once', async () => {
      const { store, newWallet, cap: read } = await open()
      const workspaceId = await newWallet(10_000n)
      const cap = capOf(1_000n)
      const outcomes = await Promise.all(Array.from({ length: 60 }, () => store.hold(holdOf(workspaceId, 99n, cap))))
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(10)
      expect(outcomes.filter((outcome) => outcome === 'capped')).toHaveLength(50)
      expect(await read(workspaceId, cap)).toMatchObject({ heldNano: 990n })
    })

    it('counts the real cost, and returns the rest of the hold to the cap', async () => {
      const { store, newWallet, cap: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const cap = capOf(100n)
      const [settled, given, over] = [1, 2, 3].map(() => holdOf(workspaceId, 100n, cap)) as [Hold, Hold, Hold]
      await store.hold(settled)
      await Promise.all([store.close(posted(settled, 30n)), store.close(posted(settled, 30n))])
      expect(await read(workspaceId, cap)).toEqual({ capNano: 100n, spentNano: 30n, heldNano: 0n })
      expect(await store.hold(given)).toBe('capped')
      const fits = { ...given, amountNano: 70n }
      await store.hold(fits)
      await store.close(released(fits))
      expect(await read(workspaceId, cap)).toEqual({ capNano: 100n, spentNano: 30n, heldNano: 0n })
      await store.hold({ ...over, amountNano: 70n })
      await store.close(posted(over, 5_000n))
      expect(await read(workspaceId, cap)).toEqual({ capNano: 100n, spentNano: 100n, heldNano: 0n })
    })

    it('takes one hold for one id, whatever the number of repetitions, and then answers with its state', async () => {
      const { store, newWallet, cap: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 100n, capOf(150n))
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.hold(hold)))
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'open')).toHaveLength(19)
      expect(await read(workspaceId, hold.cap ?? capOf(0n))).toMatchObject({ heldNano: 100n })
      await store.close(posted(hold, 100n))
      expect(await store.hold(hold)).toBe('posted')
    })

    it('separates windows: what is settled after the end of a window counts where it was held', async () => {
      const { store, newWallet, cap: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const last = capOf(100n)
      const next = { ...last, windowStart: new Date(last.windowStart.getTime() + week) }
      const late = holdOf(workspaceId, 100n, last)
      await store.hold(late)
      expect(await store.hold(holdOf(workspaceId, 100n, next))).toBe('held')
      await store.close(posted(late, 80n))
      expect(await read(workspaceId, last)).toEqual({ capNano: 100n, spentNano: 80n, heldNano: 0n })
      expect(await read(workspaceId, next)).toEqual({ capNano: 100n, spentNano: 0n, heldNano: 100n })
    })

    it('separates caps, and the same cap of two workspaces', async () => {
      const { store, newWallet } = await open()
      const [mine, other] = [await newWallet(1_000n), await newWallet(1_000n)]
      const cap = capOf(100n)
      const holds = [holdOf(mine, 100n, cap), holdOf(mine, 100n, capOf(100n)), holdOf(other, 100n, cap)]
      for (const hold of holds) expect(await store.hold(hold)).toBe('held')
      expect(await store.hold(holdOf(mine, 500n))).toBe('held')
    })

    it('applies a raised, a lowered and a removed cap from the next hold on', async () => {
      const { store, newWallet, cap: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const cap = capOf(100n)
      const hold = (amountNano: bigint, capNano: bigint) =>
        store.hold(holdOf(workspaceId, amountNano, { ...cap, capNano }))
      expect(await hold(100n, 100n)).toBe('held')
      expect(await hold(50n, 149n)).toBe('capped')
      expect(await hold(50n, 150n)).toBe('held')
      expect(await hold(0n, 149n)).toBe('capped')
      expect(await read(workspaceId, cap)).toMatchObject({ capNano: 150n })
      expect(await hold(400n, 0n)).toBe('held')
      expect(await hold(0n, 400n)).toBe('capped')
      expect(await hold(50n, 600n)).toBe('held')
      expect(await read(workspaceId, cap)).toEqual({ capNano: 600n, spentNano: 0n, heldNano: 600n })
    })

    it('counts an orphaned request at its checkpoint, and its late settle or release by the difference', async () => {
      const { store, newWallet, sweepOpen, cap: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const cap = capOf(200n)
      const [settled, cheaper, given] = [1, 2, 3].map(() => holdOf(workspaceId, 60n, cap)) as [Hold, Hold, Hold]
      for (const hold of [settled, cheaper, given]) {
        await store.hold(hold)
        store.checkpoint({ billingId: hold.billingId, costNano: 20n })
      }
      await store.idle()
      expect(await sweepOpen()).toBe(3)
      expect(await read(workspaceId, cap)).toEqual({ capNano: 200n, spentNano: 60n, heldNano: 0n })
      await store.close(posted(settled, 50n))
      await store.close(posted(cheaper, 5n))
      await store.close(released(given))
      expect(await read(workspaceId, cap)).toEqual({ capNano: 200n, spentNano: 55n, heldNano: 0n })
    })

    it('charges a late settle at most what the cap still covers, and reports the rest as written off', async () => {
      const { store, newWallet, sweepOpen, wallet, events, cap: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const cap = capOf(100n)
      const [late, next] = [holdOf(workspaceId, 100n, cap), holdOf(workspaceId, 70n, cap)]
      await store.hold(late)
      await sweepOpen()
      expect(await store.hold(next)).toBe('held')
      expect(await store.close(posted(late, 90n))).toEqual({ chargedNano: 30n })
      expect(await read(workspaceId, cap)).toEqual({ capNano: 100n, spentNano: 30n, heldNano: 70n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 970n, heldNano: 70n })
      expect(events.at(-1)).toEqual({ kind: 'write_off', billingId: late.billingId, amountNano: 60n })
    })

    it.each([
      ['a negative cap', { capNano: -1n }],
      ['a cap beyond 64 bits', { capNano: 2n ** 63n }],
      ['an id that is no UUID', { id: 'criterion' }],
      ['a window that is no date', { windowStart: new Date('soon') }],
    ])('refuses %s', async (_, wrong) => {
      const { store, newWallet } = await open()
      const hold = holdOf(await newWallet(1_000n), 1n, capOf(1n, wrong))
      await expect(store.hold(hold)).rejects.toThrow(RangeError)
    })
  })
}
