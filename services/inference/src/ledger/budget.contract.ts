import { randomUUID } from 'node:crypto'
import type { LedgerUnderTest } from './ledger.contract.ts'
import type { BudgetWindow, Hold } from './ledger.ts'

/** The behaviour of every ledger store with budgets; both the real one and the one in memory run it. */
export function budgetContract(name: string, open: () => Promise<LedgerUnderTest>): void {
  const windowStart = new Date('2026-11-30T00:00:00Z')
  const budgetOf = (amountNano: bigint, changes: Partial<BudgetWindow> = {}): BudgetWindow => ({
    id: randomUUID(),
    subject: '',
    windowStart,
    amountNano,
    ...changes,
  })
  const holdOf = (workspaceId: string, amountNano: bigint, budgets: readonly BudgetWindow[]): Hold => ({
    billingId: randomUUID(),
    workspaceId,
    amountNano,
    kind: 'chat',
    model: 'sim/large',
    priceVersion: '1',
    budgets,
  })
  const posted = ({ billingId, workspaceId }: Hold, costNano: bigint) =>
    ({ billingId, workspaceId, costNano, outcome: 'posted' }) as const
  const released = ({ billingId, workspaceId }: Hold) =>
    ({ billingId, workspaceId, costNano: 0n, outcome: 'voided' }) as const

  describe(name, () => {
    it('holds up to the last nano-dollar of each budget, and names those that do not cover one more', async () => {
      const { store, newWallet, wallet, budget: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const [day, month] = [budgetOf(100n), budgetOf(150n)]
      expect(await store.hold(holdOf(workspaceId, 60n, [day, month]))).toBe('held')
      expect(await store.hold(holdOf(workspaceId, 41n, [month, day]))).toBe('over_budget:1')
      expect(await store.hold(holdOf(workspaceId, 91n, [day, month]))).toBe('over_budget:0,1')
      expect(await store.hold(holdOf(workspaceId, 40n, [day, month]))).toBe('held')
      expect(await read(workspaceId, day)).toEqual({ capNano: 100n, spentNano: 0n, heldNano: 100n })
      expect(await read(workspaceId, month)).toEqual({ capNano: 150n, spentNano: 0n, heldNano: 100n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 100n })
    })

    it('reports the wallet first, then the cap, and takes nothing from any of them', async () => {
      const { store, newWallet, budget: read, cap } = await open()
      const workspaceId = await newWallet(50n)
      const budget = budgetOf(40n)
      const spendCap = { id: randomUUID(), windowStart, capNano: 45n }
      expect(await store.hold(holdOf(workspaceId, 51n, [budget]))).toBe('refused')
      expect(await store.hold({ ...holdOf(workspaceId, 46n, [budget]), cap: spendCap })).toBe('capped')
      expect(await store.hold({ ...holdOf(workspaceId, 41n, [budget]), cap: spendCap })).toBe('over_budget:0')
      expect(await store.hold({ ...holdOf(workspaceId, 40n, [budget]), cap: spendCap })).toBe('held')
      expect(await read(workspaceId, budget)).toMatchObject({ spentNano: 0n, heldNano: 40n })
      expect(await cap(workspaceId, spendCap)).toMatchObject({ spentNano: 0n, heldNano: 40n })
    })

    it('never exceeds a budget, however many holds arrive at once', async () => {
      const { store, newWallet, budget: read } = await open()
      const workspaceId = await newWallet(10_000n)
      const budget = budgetOf(1_000n)
      const holds = Array.from({ length: 60 }, () => store.hold(holdOf(workspaceId, 99n, [budget])))
      const outcomes = await Promise.all(holds)
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(10)
      expect(outcomes.filter((outcome) => outcome === 'over_budget:0')).toHaveLength(50)
      expect(await read(workspaceId, budget)).toMatchObject({ heldNano: 990n })
    })

    it('counts the real cost, and returns the rest of the hold', async () => {
      const { store, newWallet, budget: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const budget = budgetOf(100n)
      const settled = holdOf(workspaceId, 100n, [budget])
      await store.hold(settled)
      await Promise.all([store.close(posted(settled, 30n)), store.close(posted(settled, 30n))])
      expect(await read(workspaceId, budget)).toEqual({ capNano: 100n, spentNano: 30n, heldNano: 0n })
      const given = holdOf(workspaceId, 70n, [budget])
      await store.hold(given)
      await store.close(released(given))
      expect(await read(workspaceId, budget)).toEqual({ capNano: 100n, spentNano: 30n, heldNano: 0n })
    })

    it('counts each subject of a budget for itself, and each window', async () => {
      const { store, newWallet, budget: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const ann = budgetOf(100n, { subject: 'ann' })
      const [bob, later] = [
        { ...ann, subject: 'bob, "or" {him}' },
        { ...ann, windowStart: new Date('2026-12-01T00:00:00Z') },
      ]
      for (const budget of [ann, bob, later]) {
        expect(await store.hold(holdOf(workspaceId, 100n, [budget]))).toBe('held')
        expect(await store.hold(holdOf(workspaceId, 1n, [budget]))).toBe('over_budget:0')
        expect(await read(workspaceId, budget)).toEqual({ capNano: 100n, spentNano: 0n, heldNano: 100n })
      }
    })

    it('applies a raised and a lowered budget from the next hold on', async () => {
      const { store, newWallet, budget: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const budget = budgetOf(100n)
      const hold = (amount: bigint, amountNano: bigint) =>
        store.hold(holdOf(workspaceId, amount, [{ ...budget, amountNano }]))
      expect(await hold(100n, 100n)).toBe('held')
      expect(await hold(50n, 149n)).toBe('over_budget:0')
      expect(await hold(50n, 150n)).toBe('held')
      expect(await hold(0n, 149n)).toBe('over_budget:0')
      expect(await read(workspaceId, budget)).toEqual({ capNano: 150n, spentNano: 0n, heldNano: 150n })
    })

    it('counts an orphaned request at its checkpoint, and charges a late settle at most what is left', async () => {
      const { store, newWallet, sweepOpen, wallet, events, budget: read } = await open()
      const workspaceId = await newWallet(1_000n)
      const budget = budgetOf(100n)
      const [late, next] = [holdOf(workspaceId, 100n, [budget]), holdOf(workspaceId, 70n, [budget])]
      await store.hold(late)
      store.checkpoint({ billingId: late.billingId, costNano: 20n })
      await store.idle()
      await sweepOpen()
      expect(await read(workspaceId, budget)).toEqual({ capNano: 100n, spentNano: 20n, heldNano: 0n })
      expect(await store.hold(next)).toBe('held')
      expect(await store.close(posted(late, 90n))).toEqual({ chargedNano: 30n })
      expect(await read(workspaceId, budget)).toEqual({ capNano: 100n, spentNano: 30n, heldNano: 70n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 970n, heldNano: 70n })
      expect(events.at(-1)).toEqual({ kind: 'write_off', billingId: late.billingId, amountNano: 60n })
    })

    it('takes one hold for one id, and then answers with its state', async () => {
      const { store, newWallet } = await open()
      const hold = holdOf(await newWallet(1_000n), 100n, [budgetOf(150n)])
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.hold(hold)))
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'open')).toHaveLength(19)
      await store.close(posted(hold, 100n))
      expect(await store.hold(hold)).toBe('posted')
    })

    it.each([
      ['a negative amount', { amountNano: -1n }],
      ['an id that is no UUID', { id: 'budget' }],
      ['a subject that no database stores', { subject: 'a\0b' }],
      ['a window that is no date', { windowStart: new Date('soon') }],
    ])('refuses %s', async (_, wrong) => {
      const { store, newWallet } = await open()
      const hold = holdOf(await newWallet(1_000n), 1n, [budgetOf(1n, wrong)])
      await expect(store.hold(hold)).rejects.toThrow(RangeError)
    })
  })
}
