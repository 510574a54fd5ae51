import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { countingUuids } from '@ratchet/testing/counting-ids'
import type { Hold, LedgerEvent } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import type { BudgetName, CapWindow, MemoryCap } from './memory-ledger.ts'

/** A ledger with the operations that a test needs. */
export interface LedgerUnderTest {
  readonly store: LedgerStore
  readonly events: readonly LedgerEvent[]
  /** Creates a workspace with this much credit. */
  newWallet(balanceNano: bigint): Promise<string>
  /** The wallet when nothing is held for requests to come. */
  wallet(workspaceId: string): Promise<{ balanceNano: bigint; heldNano: bigint }>
  /** The wallet at this instant: what was charged is paid, whatever else is held for requests to come. */
  balance(workspaceId: string): Promise<bigint>
  /** The ledger of another process on the same wallets. */
  another(): LedgerStore
  /** The holds and costs of a cap's window. */
  cap(workspaceId: string, window: CapWindow): Promise<MemoryCap>
  /** The holds and costs of a budget's window. */
  budget(workspaceId: string, window: BudgetName): Promise<MemoryCap>
  /** Closes every open request as orphaned, as if all owners had died. */
  sweepOpen(): Promise<number>
}

/** The behaviour of every ledger store; both the real one and the one in memory run it. */
export function ledgerContract(name: string, open: () => Promise<LedgerUnderTest>): void {
  const newId = countingUuids()
  const holdOf = (workspaceId: string, amountNano: bigint, billingId = newId()): Hold => ({
    billingId,
    workspaceId,
    amountNano,
    kind: 'chat',
    model: 'sim/large',
    priceVersion: '1',
  })
  const posted = (hold: Hold, costNano: bigint) => ({ ...idsOf(hold), costNano, outcome: 'posted' as const })
  const released = (hold: Hold) => ({ ...idsOf(hold), costNano: 0n, outcome: 'voided' as const })

  describe(name, () => {
    it('holds up to the last nano-dollar of the wallet, and refuses one more', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(100n)
      expect(await store.hold(holdOf(workspaceId, 60n))).toBe('held')
      expect(await store.hold(holdOf(workspaceId, 41n))).toBe('refused')
      expect(await store.hold(holdOf(workspaceId, 40n))).toBe('held')
      expect(await store.hold(holdOf(workspaceId, 0n))).toBe('held')
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 100n, heldNano: 100n })
    })

    it('refuses a workspace without a wallet', async () => {
      const { store } = await open()
      expect(await store.hold(holdOf(newId(), 0n))).toBe('refused')
    })

    it('holds exactly 10 of 200 parallel holds on a wallet that covers 10', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const outcomes = await Promise.all(Array.from({ length: 200 }, () => store.hold(holdOf(workspaceId, 100n))))
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(10)
      expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(190)
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 1_000n })
    })

    it('does not refuse a hold that fits because of a larger one beside it that does not', async () => {
      const { store, newWallet } = await open()
      const workspaceId = await newWallet(10n)
      const outcomes = await Promise.all([11n, 5n, 5n].map((amount) => store.hold(holdOf(workspaceId, amount))))
      expect(outcomes).toEqual(['refused', 'held', 'held'])
    })

    it('separates wallets', async () => {
      const { store, newWallet, wallet } = await open()
      const [rich, poor] = [await newWallet(1_000n), await newWallet(10n)]
      const holds = [holdOf(rich, 900n), holdOf(poor, 900n), holdOf(poor, 10n)]
      expect(await Promise.all(holds.map((hold) => store.hold(hold)))).toEqual(['held', 'refused', 'held'])
      expect(await wallet(rich)).toEqual({ balanceNano: 1_000n, heldNano: 900n })
      expect(await wallet(poor)).toEqual({ balanceNano: 10n, heldNano: 10n })
    })

    it('takes one hold for one id, whatever the number and the speed of repetitions', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 100n)
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.hold(hold)))
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'open')).toHaveLength(19)
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 100n })
    })

    it('answers the hold of a finished id with its state', async () => {
      const { store, newWallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const [settled, given] = [holdOf(workspaceId, 100n), holdOf(workspaceId, 100n)]
      await Promise.all([store.hold(settled), store.hold(given)])
      await Promise.all([store.close(posted(settled, 1n)), store.close(released(given))])
      expect([await store.hold(settled), await store.hold(given)]).toEqual(['posted', 'voided'])
    })

    it('charges the real cost and releases the rest', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 400n)
      await store.hold(hold)
      expect(await store.close(posted(hold, 150n))).toEqual({ chargedNano: 150n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 850n, heldNano: 0n })
    })

    it('charges the first settle only, whatever the number and the cost of repetitions', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 400n)
      await store.hold(hold)
      const together = await Promise.all([150n, 200n, 300n].map((cost) => store.close(posted(hold, cost))))
      const later = await store.close(posted(hold, 400n))
      expect([...together, later]).toEqual(Array.from({ length: 4 }, () => ({ chargedNano: 150n })))
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 850n, heldNano: 0n })
    })

    it('never charges more than the hold, and reports the rest as written off', async () => {
      const { store, newWallet, wallet, events } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 100n)
      await store.hold(hold)
      expect(await store.close(posted(hold, 130n))).toEqual({ chargedNano: 100n })
      await store.close(posted(hold, 130n))
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 900n, heldNano: 0n })
      expect(events).toEqual([{ kind: 'write_off', billingId: hold.billingId, amountNano: 30n }])
    })

    it('releases a hold without a charge', async () => {
      const { store, newWallet, wallet, events } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 100n)
      await store.hold(hold)
      await Promise.all([store.close(released(hold)), store.close(released(hold))])
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 0n })
      expect(events).toEqual([])
    })

    it('takes nothing back after a settle', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 100n)
      await store.hold(hold)
      await store.close(posted(hold, 60n))
      expect(await store.close(released(hold))).toEqual({ chargedNano: 60n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 940n, heldNano: 0n })
    })

    it('keeps a hold from opening when its release arrives first', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const hold = holdOf(workspaceId, 100n)
      await store.close(released(hold))
      expect(await store.hold(hold)).toBe('voided')
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 0n })
    })

    it('changes nothing for a closing that names another workspace', async () => {
      const { store, newWallet, wallet } = await open()
      const [mine, other] = [await newWallet(1_000n), await newWallet(1_000n)]
      const hold = holdOf(mine, 100n)
      await store.hold(hold)
      await expect(store.close({ ...posted(hold, 50n), workspaceId: other })).rejects.toThrow(RangeError)
      expect(await wallet(mine)).toEqual({ balanceNano: 1_000n, heldNano: 100n })
      expect(await wallet(other)).toEqual({ balanceNano: 1_000n, heldNano: 0n })
    })

    it('charges nothing for an id without a hold, and reports it', async () => {
      const { store, newWallet, wallet, events } = await open()
      const hold = holdOf(await newWallet(1_000n), 100n)
      expect(await store.close(posted(hold, 50n))).toEqual({ chargedNano: 0n })
      expect(await wallet(hold.workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 0n })
      expect(events).toEqual([{ kind: 'unknown_request', billingId: hold.billingId, amountNano: 50n }])
    })

    it('charges an orphaned request its highest checkpoint, at most its hold', async () => {
      const { store, newWallet, wallet, sweepOpen, events } = await open()
      const workspaceId = await newWallet(1_000n)
      const [streamed, over, silent] = [1, 2, 3].map(() => holdOf(workspaceId, 100n)) as [Hold, Hold, Hold]
      await Promise.all([streamed, over, silent].map((hold) => store.hold(hold)))
      for (const costNano of [20n, 50n, 30n]) {
        store.checkpoint({ billingId: streamed.billingId, costNano })
        await store.idle()
      }
      store.checkpoint({ billingId: over.billingId, costNano: 5_000n })
      await store.idle()
      expect(await sweepOpen()).toBe(3)
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 850n, heldNano: 0n })
      expect(new Set(events)).toEqual(
        new Set([
          { kind: 'orphaned_hold', billingId: streamed.billingId, chargedNano: 50n },
          { kind: 'orphaned_hold', billingId: over.billingId, chargedNano: 100n },
          { kind: 'orphaned_hold', billingId: silent.billingId, chargedNano: 0n },
        ]),
      )
    })

    it('charges a late settle the difference to its checkpoint, once', async () => {
      const { store, newWallet, wallet, sweepOpen, events } = await open()
      const hold = holdOf(await newWallet(1_000n), 100n)
      await store.hold(hold)
      store.checkpoint({ billingId: hold.billingId, costNano: 30n })
      await store.idle()
      await sweepOpen()
      const settles = await Promise.all([store.close(posted(hold, 80n)), store.close(posted(hold, 80n))])
      expect(settles).toEqual([{ chargedNano: 80n }, { chargedNano: 80n }])
      expect(await wallet(hold.workspaceId)).toEqual({ balanceNano: 920n, heldNano: 0n })
      expect(events.filter(({ kind }) => kind === 'late_post')).toEqual([
        { kind: 'late_post', billingId: hold.billingId, chargedNano: 50n },
      ])
    })

    it.each([
      ['a late settle below the checkpoint', 10n, 990n],
      ['a late release', undefined, 1_000n],
    ])('pays back what the checkpoint charged too much: %s', async (_, costNano, balanceNano) => {
      const { store, newWallet, wallet, sweepOpen } = await open()
      const hold = holdOf(await newWallet(1_000n), 100n)
      await store.hold(hold)
      store.checkpoint({ billingId: hold.billingId, costNano: 30n })
      await store.idle()
      await sweepOpen()
      const closing = costNano === undefined ? released(hold) : posted(hold, costNano)
      expect(await store.close(closing)).toEqual({ chargedNano: costNano ?? 0n })
      await store.close(closing)
      expect(await wallet(hold.workspaceId)).toEqual({ balanceNano, heldNano: 0n })
    })

    it('charges a late settle at most what is free then', async () => {
      const { store, newWallet, wallet, sweepOpen, events } = await open()
      const workspaceId = await newWallet(100n)
      const [late, next] = [holdOf(workspaceId, 100n), holdOf(workspaceId, 70n)]
      await store.hold(late)
      await sweepOpen()
      expect(await store.hold(next)).toBe('held')
      expect(await store.close(posted(late, 90n))).toEqual({ chargedNano: 30n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 70n, heldNano: 70n })
      expect(events.at(-1)).toEqual({ kind: 'write_off', billingId: late.billingId, amountNano: 60n })
    })

    it('counts the charge of the checkpoint as paid when little else is free', async () => {
      const { store, newWallet, wallet, sweepOpen } = await open()
      const workspaceId = await newWallet(100n)
      const [late, next] = [holdOf(workspaceId, 100n), holdOf(workspaceId, 60n)]
      await store.hold(late)
      store.checkpoint({ billingId: late.billingId, costNano: 30n })
      await store.idle()
      await sweepOpen()
      expect(await store.hold(next)).toBe('held')
      expect(await store.close(posted(late, 90n))).toEqual({ chargedNano: 40n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 60n, heldNano: 60n })
    })

    it('ignores checkpoints of closed and unknown requests', async () => {
      const { store, newWallet, wallet, sweepOpen } = await open()
      const hold = holdOf(await newWallet(1_000n), 100n)
      await store.hold(hold)
      await store.close(posted(hold, 10n))
      for (const billingId of [hold.billingId, newId()]) store.checkpoint({ billingId, costNano: 50n })
      await store.idle()
      expect(await sweepOpen()).toBe(0)
      expect(await wallet(hold.workspaceId)).toEqual({ balanceNano: 990n, heldNano: 0n })
    })

    it('is exact beyond the integers of a double', async () => {
      const { store, newWallet, wallet } = await open()
      const workspaceId = await newWallet(9_007_199_254_740_995n)
      const hold = holdOf(workspaceId, 9_007_199_254_740_993n)
      await store.hold(hold)
      expect(await store.close(posted(hold, 9_007_199_254_740_993n))).toEqual({ chargedNano: 9_007_199_254_740_993n })
      expect(await wallet(workspaceId)).toEqual({ balanceNano: 2n, heldNano: 0n })
    })

    describe('for ids that are unique', () => {
      const uniqueHold = (workspaceId: string, amountNano = 100n): Hold => ({
        ...holdOf(workspaceId, amountNano, uuidV7(Date.now())),
        isUnique: true,
      })

      /** A wallet of 1 000 000 whose requests are frequent enough to be held for in memory, where a ledger does so. */
      async function busyWallet() {
        const tested = await open()
        const workspaceId = await tested.newWallet(1_000_000n)
        for (let count = 0; count < 4; count += 1) {
          const hold = uniqueHold(workspaceId)
          await tested.store.hold(hold)
          await tested.store.close(released(hold))
          await tested.store.idle()
        }
        return { ...tested, workspaceId }
      }

      it('charges each at its cost, and shows every charge at once', async () => {
        const { store, workspaceId, balance, wallet } = await busyWallet()
        for (let costNano = 1n; costNano <= 20n; costNano += 1n) {
          const hold = uniqueHold(workspaceId)
          expect(await store.hold(hold)).toBe('held')
          expect(await store.close(posted(hold, costNano))).toEqual({ chargedNano: costNano })
          expect(await balance(workspaceId)).toBe(1_000_000n - (costNano * (costNano + 1n)) / 2n)
        }
        expect(await wallet(workspaceId)).toEqual({ balanceNano: 999_790n, heldNano: 0n })
      })

      it('charges the first settle only, and takes nothing back', async () => {
        const { store, workspaceId, wallet } = await busyWallet()
        const hold = uniqueHold(workspaceId)
        await store.hold(hold)
        const together = await Promise.all([50n, 50n].map((cost) => store.close(posted(hold, cost))))
        const later = [await store.close(posted(hold, 80n)), await store.close(released(hold))]
        expect([...together, ...later]).toEqual(Array.from({ length: 4 }, () => ({ chargedNano: 50n })))
        expect(await wallet(workspaceId)).toEqual({ balanceNano: 999_950n, heldNano: 0n })
      })

      it('never charges more than the hold, and reports the rest as written off', async () => {
        const { store, workspaceId, wallet, events } = await busyWallet()
        const hold = uniqueHold(workspaceId)
        await store.hold(hold)
        expect(await store.close(posted(hold, 130n))).toEqual({ chargedNano: 100n })
        expect(await wallet(workspaceId)).toEqual({ balanceNano: 999_900n, heldNano: 0n })
        expect(events).toEqual([{ kind: 'write_off', billingId: hold.billingId, amountNano: 30n }])
      })

      it('closes a request that was handed to another process, whichever of them is first', async () => {
        const { store, another, workspaceId, wallet } = await busyWallet()
        const hold = uniqueHold(workspaceId)
        await store.hold(hold)
        const closing = store.complete(posted(hold, 70n))
        const charged = await Promise.all([another().close(closing), store.close(closing), another().close(closing)])
        expect(charged).toEqual(Array.from({ length: 3 }, () => ({ chargedNano: 70n })))
        expect(await wallet(workspaceId)).toEqual({ balanceNano: 999_930n, heldNano: 0n })
      })

      it.each(['a charge', 'a release'])(
        'closes a long request, which recorded its cost so far, with %s',
        async (end) => {
          const { store, workspaceId, wallet } = await busyWallet()
          const hold = uniqueHold(workspaceId)
          await store.hold(hold)
          store.checkpoint({ billingId: hold.billingId, costNano: 20n })
          await store.close(end === 'a charge' ? posted(hold, 60n) : released(hold))
          await store.idle()
          const balanceNano = end === 'a charge' ? 999_940n : 1_000_000n
          expect(await wallet(workspaceId)).toEqual({ balanceNano, heldNano: 0n })
        },
      )

      it('charges an orphan its checkpoint, and a late settle the rest, once', async () => {
        const { store, workspaceId, wallet, sweepOpen } = await busyWallet()
        const [silent, long] = [uniqueHold(workspaceId), uniqueHold(workspaceId)]
        await Promise.all([store.hold(silent), store.hold(long)])
        store.checkpoint({ billingId: long.billingId, costNano: 30n })
        await store.idle()
        await sweepOpen()
        expect(await wallet(workspaceId)).toEqual({ balanceNano: 999_970n, heldNano: 0n })
        const closings = [silent, long].map((hold) => store.complete(posted(hold, 80n)))
        for (const closing of [...closings, ...closings])
          expect(await store.close(closing)).toEqual({ chargedNano: 80n })
        expect(await wallet(workspaceId)).toEqual({ balanceNano: 999_840n, heldNano: 0n })
      })
    })

    it.each([
      ['a negative amount', { amountNano: -1n }],
      ['an amount beyond 64 bits', { amountNano: 2n ** 63n }],
      ['a billing id that is no UUID', { billingId: 'req_1' }],
      ['a workspace that is no UUID', { workspaceId: "'; --" }],
      ['a NUL in the model', { model: 'a\0b' }],
    ])('refuses %s without effect on the holds beside it', async (_, wrong) => {
      const { store, newWallet } = await open()
      const workspaceId = await newWallet(1_000n)
      const [good, bad] = await Promise.allSettled([
        store.hold(holdOf(workspaceId, 1n)),
        store.hold({ ...holdOf(workspaceId, 1n), ...wrong }),
      ])
      expect(good).toEqual({ status: 'fulfilled', value: 'held' })
      expect(bad).toMatchObject({ status: 'rejected', reason: { name: 'RangeError' } })
    })
  })
}

function idsOf({ billingId, workspaceId }: Hold): { billingId: string; workspaceId: string } {
  return { billingId, workspaceId }
}
