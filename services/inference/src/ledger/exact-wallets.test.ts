import type { WalletLook } from './escrow-store.ts'
import { createExactWallets } from './exact-wallets.ts'
import { type Hold, type HoldOutcome, LedgerUnavailable } from './ledger.ts'

const hold: Hold = {
  billingId: 'request',
  workspaceId: 'workspace',
  amountNano: 10n,
  kind: 'chat',
  model: 'sim/large',
  priceVersion: '1',
}

/** A wallet that looks as listed, one after the other; the last look is repeated. */
function walletOf(looks: readonly (readonly [freeNano: bigint, blocks: number])[], waitMs = 50) {
  const left = looks.map(([freeNano, blocks]): WalletLook => ({ balanceNano: freeNano, heldNano: 0n, blocks }))
  let recalls = 0
  const exact = createExactWallets({
    waitMs,
    store: {
      async look([workspaceId = '']) {
        const next = left.length > 1 ? left.shift() : left[0]
        return new Map(next === undefined ? [] : [[workspaceId, next]])
      },
      async recall() {
        recalls += 1
      },
    },
  })
  return { exact, recalls: () => recalls }
}

/** Answers as listed, and refuses everything after that. */
function answers(...outcomes: HoldOutcome[]) {
  return async () => outcomes.shift() ?? 'refused'
}

it('refuses a wallet without blocks at once', async () => {
  const { exact, recalls } = walletOf([[9n, 0]])
  expect(await exact.hold(hold, answers())).toBe('refused')
  expect(recalls()).toBe(0)
})

it('does not count a refusal while enough is free, until the blocks were recalled', async () => {
  const held = walletOf([[10n, 0]])
  expect(await held.exact.hold(hold, answers('refused', 'refused', 'refused', 'held'))).toBe('held')
  expect(held.recalls()).toBe(1)
  const refused = walletOf([[10n, 0]])
  expect(await refused.exact.hold(hold, answers())).toBe('refused')
  expect(refused.recalls()).toBe(1)
})

it('fails when blocks are left, or come back again and again', async () => {
  await expect(walletOf([[0n, 1]]).exact.hold(hold, answers())).rejects.toThrow(LedgerUnavailable)
  const looks = Array.from({ length: 20 }, (_, index) => [0n, (index + 1) % 2] as const)
  await expect(walletOf(looks).exact.hold(hold, answers())).rejects.toThrow(LedgerUnavailable)
})

it('recalls once for requests that are refused together', async () => {
  const { exact, recalls } = walletOf([
    [0n, 1],
    [0n, 1],
    [0n, 1],
    [9n, 0],
  ])
  const outcomes = await Promise.all(['a', 'b', 'c'].map((billingId) => exact.hold({ ...hold, billingId }, answers())))
  expect(outcomes).toEqual(['refused', 'refused', 'refused'])
  expect(recalls()).toBe(1)
})

it('answers with the wallet as it was without blocks', async () => {
  const { exact } = walletOf([
    [1n, 1],
    [2n, 1],
    [7n, 0],
  ])
  expect(await exact.settle('workspace')).toEqual({ balanceNano: 7n, heldNano: 0n, blocks: 0 })
  await expect(walletOf([[0n, 1]]).exact.settle('workspace')).rejects.toThrow(LedgerUnavailable)
})
