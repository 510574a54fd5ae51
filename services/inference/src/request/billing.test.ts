import type { Ledger } from '../ledger/ledger.ts'
import { createBilling } from './billing.ts'

function recordingLedger() {
  const said: string[] = []
  const ledger = {
    async settle({ costNano }) {
      said.push(`settle ${costNano}`)
      return { chargedNano: costNano, committed: true }
    },
    async release() {
      said.push('release')
    },
    checkpoint({ costNano }) {
      said.push(`checkpoint ${costNano}`)
    },
  } as Pick<Ledger, 'settle' | 'release' | 'checkpoint'> as Ledger
  return { ledger, said }
}

const held = { billingId: 'r', workspaceId: 'w', holdNano: 100n }
const tokens = { promptTokens: 1, completionTokens: 2 }

describe('createBilling', () => {
  it('ends a request once: the first call decides', async () => {
    const { ledger, said } = recordingLedger()
    const billing = createBilling(ledger, held)
    expect(await Promise.all([billing.settle(5n, tokens), billing.release(), billing.settle(7n, tokens)])).toEqual([
      5n,
      5n,
      5n,
    ])
    expect(said).toEqual(['settle 5'])
  })

  it('never reports a charge above the hold, even when the ledger has not confirmed it', async () => {
    const { ledger } = recordingLedger()
    expect(await createBilling(ledger, held).settle(101n, tokens)).toBe(100n)
  })

  it('charges nothing after a release', async () => {
    const { ledger, said } = recordingLedger()
    const billing = createBilling(ledger, held)
    expect(await billing.release()).toBe(0n)
    expect(await billing.settle(7n, tokens)).toBe(0n)
    expect(said).toEqual(['release'])
  })

  it('records checkpoints only while the request is open', async () => {
    const { ledger, said } = recordingLedger()
    const billing = createBilling(ledger, held)
    billing.checkpoint(1n)
    await billing.settle(2n, tokens)
    billing.checkpoint(3n)
    expect(said).toEqual(['checkpoint 1', 'settle 2'])
  })
})
