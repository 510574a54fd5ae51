import fc from 'fast-check'
import { EscrowBlocks, type Held } from './escrow-blocks.ts'
import type { OpenBlock } from './escrow-store.ts'
import type { Hold } from './ledger.ts'

/** Blocks of a wallet in which `walletNano` is free, and what happens to them. */
function openBlocks({ walletNano = 1_000n } = {}) {
  const amounts = new Map<string, bigint>()
  const booked: string[] = []
  const carved: Held[] = []
  let nowMs = 0
  let isFailing = false
  let ids = 0
  const answer = async <T>(work: () => T): Promise<T> => {
    if (isFailing) throw new Error('the database is down')
    return work()
  }
  const store = {
    openBlock: ({ blockId, desiredNano }: OpenBlock) =>
      answer(() => {
        amounts.set(blockId, desiredNano < walletNano ? desiredNano : walletNano)
        return amounts.get(blockId) ?? null
      }),
    forestallBlock: () => answer(() => undefined),
    seal: () => answer(() => undefined),
    book: (blockIds: readonly string[]) => answer(() => void booked.push(...blockIds)),
  }
  const blocks = new EscrowBlocks({
    store,
    size: { holds: 4, leastHolds: 1 },
    newId: () => `block-${ids++}`,
    clockMs: () => nowMs,
    usableMs: 15_000,
    renewMs: 1_000,
    carveAfterMs: 5_000,
    carve: (held) => void carved.push(held),
  })
  return {
    blocks,
    amounts,
    booked,
    carved,
    wait(ms: number) {
      nowMs += ms
    },
    fail(value: boolean) {
      isFailing = value
    },
  }
}

let holds = 0
const holdOf = (amountNano: bigint): Hold => ({
  billingId: `request-${holds++}`,
  workspaceId: 'w',
  amountNano,
  kind: 'chat',
  model: 'm',
  priceVersion: '1',
})

/** Asks for two holds, so that the wallet counts as busy and has a block. */
async function warmUp({ blocks }: ReturnType<typeof openBlocks>): Promise<void> {
  expect([blocks.take(holdOf(10n)), blocks.take(holdOf(10n))]).toEqual([undefined, undefined])
  await blocks.idle()
}

it('holds out of a block, at most its amount, when holds are frequent', async () => {
  const run = openBlocks()
  await warmUp(run)
  run.fail(true) // no other block
  const taken = Array.from({ length: 6 }, () => run.blocks.take(holdOf(10n)))
  expect(taken.map((held) => held !== undefined)).toEqual([true, true, true, true, false, false])
})

it('opens no block for a wallet that is asked rarely', async () => {
  const run = openBlocks()
  for (let count = 0; count < 4; count += 1) {
    run.blocks.take(holdOf(10n))
    run.wait(2_000)
  }
  await run.blocks.idle()
  expect(run.amounts.size).toBe(0)
})

it('holds out of no block that was opened too long ago', async () => {
  const run = openBlocks()
  await warmUp(run)
  run.wait(15_001)
  expect(run.blocks.take(holdOf(10n))).toBeUndefined()
  await run.blocks.idle()
  expect(run.blocks.take(holdOf(10n))?.block.id).toBe('block-1')
})

it('replaces a block that gets old, and accounts it when its last request ends', async () => {
  const run = openBlocks()
  await warmUp(run)
  const first = run.blocks.take(holdOf(10n))
  run.wait(1_001)
  run.blocks.take(holdOf(10n))
  await run.blocks.idle()
  expect(run.blocks.take(holdOf(10n))?.block.id).toBe('block-1')
  expect(run.booked).toEqual([])
  if (first !== undefined) run.blocks.finish(first, 5n)
  for (const held of first?.block.running ?? []) run.blocks.finish(held, 5n)
  await run.blocks.idle()
  expect(run.booked).toEqual(['block-0'])
})

it('accounts a block that is not used', async () => {
  const run = openBlocks()
  await warmUp(run)
  run.wait(1_001)
  await run.blocks.upkeep()
  await run.blocks.idle()
  expect(run.booked).toEqual(['block-0'])
})

it('has a block until it is known to be booked', async () => {
  const run = openBlocks()
  expect(run.blocks.areOpen).toBe(false)
  await warmUp(run)
  run.fail(true)
  run.blocks.giveBackAll()
  await run.blocks.idle()
  expect(run.blocks.areOpen).toBe(true)
  run.fail(false)
  await run.blocks.upkeep()
  await run.blocks.idle()
  expect(run.blocks.areOpen).toBe(false)
})

it('asks for rows for requests that keep an old block open', async () => {
  const run = openBlocks()
  await warmUp(run)
  const held = run.blocks.take(holdOf(10n))
  run.wait(5_001)
  await run.blocks.upkeep()
  await run.blocks.upkeep()
  expect(run.carved[0]).toBe(held)
})

it('gives everything back when its wallet is recalled, also a block that is being opened', async () => {
  const run = openBlocks()
  await warmUp(run)
  const held = run.blocks.take(holdOf(10n))
  run.wait(1_001)
  run.blocks.take(holdOf(10n)) // opens the next one
  run.blocks.giveBack('w')
  expect(run.carved).toContain(held)
  for (const each of [...run.carved]) run.blocks.detach(each)
  await run.blocks.idle()
  expect(new Set(run.booked)).toEqual(new Set(['block-0', 'block-1']))
})

it('repeats what the database did not answer', async () => {
  const run = openBlocks()
  await warmUp(run)
  run.fail(true)
  run.blocks.giveBack('w')
  await run.blocks.idle()
  expect(run.booked).toEqual([])
  run.fail(false)
  await run.blocks.upkeep()
  await run.blocks.idle()
  expect(run.booked).toEqual(['block-0'])
})

it('makes sure of a block whose opening got no answer', async () => {
  const run = openBlocks()
  run.fail(true)
  run.blocks.take(holdOf(10n))
  run.blocks.take(holdOf(10n))
  await run.blocks.idle()
  run.fail(false)
  await run.blocks.upkeep()
  expect(run.booked).toEqual(['block-0'])
})

it('never lets charges and running holds of a block exceed its amount', async () => {
  const step = fc.record({
    amountNano: fc.bigInt({ min: 0n, max: 60n }),
    costShare: fc.nat({ max: 100 }),
    ends: fc.nat({ max: 9 }),
    waitMs: fc.constantFrom(0, 0, 0, 300, 1_200),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 100 }), async (steps) => {
      const run = openBlocks({ walletNano: 150n })
      const running: Held[] = []
      const used = new Map<string, bigint>()
      const use = ({ id }: Held['block'], nano: bigint) => used.set(id, (used.get(id) ?? 0n) + nano)
      for (const { amountNano, costShare, ends, waitMs } of steps) {
        run.wait(waitMs)
        const held = run.blocks.take(holdOf(amountNano))
        if (held !== undefined) {
          running.push(held)
          use(held.block, amountNano)
        }
        const [ended] = running.splice(ends, 1)
        if (ended !== undefined) {
          const costNano = (ended.hold.amountNano * BigInt(costShare)) / 100n
          run.blocks.finish(ended, costNano)
          use(ended.block, costNano - ended.hold.amountNano)
        }
        await run.blocks.upkeep()
        await run.blocks.idle()
        for (const [id, nano] of used) expect(nano <= (run.amounts.get(id) ?? 0n)).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})
