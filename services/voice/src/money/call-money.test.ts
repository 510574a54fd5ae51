import { type CallMeter, type CallUsage, noUsage } from '../calls/call-money.ts'
import { linesOf, totalCost, totalOf, worstSlice } from './call-lines.ts'
import { reserveNano } from './create-call-money.ts'
import { createSliceSweep } from './finish-slices.ts'
import { heardEvents, testMoney, testPrices } from './memory-money.fixture.ts'

const rates = testPrices.ratesOf({ voice: 'sim/readable', recognizer: 'sim', telephony: null })
if (rates === null) throw new Error('the test has no rates')
const sliceNano = worstSlice(rates)

const usageAt = (seconds: number): CallUsage => ({
  answeredMs: seconds * 1_000,
  recognizedMs: seconds * 1_000,
  spokenCharacters: seconds * 5,
})

type Money = ReturnType<typeof testMoney>

async function begun({ worker, call }: Money, generation = 1, usage = noUsage) {
  const { heard, events } = heardEvents()
  const money = worker()
  const meter = await money.begin(call, { generation, usage }, events)
  if (meter === 'refused') throw new Error('the call was refused')
  return { meter, heard, ...money }
}

/** Lets a call go on, second by second. */
async function talk({ clock }: Money, meter: CallMeter, [from, to]: readonly [number, number]): Promise<void> {
  for (let second = from + 1; second <= to; second += 1) {
    clock.ms += 1_000
    meter.checkpoint(usageAt(second))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('a call', () => {
  it('costs what was used, however many slices it has', async () => {
    for (const seconds of [0, 1, 59, 60, 61, 119, 150, 400]) {
      const money = testMoney()
      await money.worker().hold(money.call)
      const { meter, heard } = await begun(money)
      await talk(money, meter, [0, seconds])
      await meter.settle(usageAt(seconds))
      expect(10_000_000_000n - money.state.balanceNano).toBe(totalCost(usageAt(seconds), rates))
      expect([money.held(), heard]).toEqual([0n, []])
      expect(money.journal.rows.filter(({ chargedNano }) => chargedNano === null)).toEqual([])
    }
  })

  it('pays in the next slice what one could not hold', async () => {
    const money = testMoney()
    await money.worker().hold(money.call)
    const { meter } = await begun(money)
    const talkative = (seconds: number) => ({ ...usageAt(seconds), spokenCharacters: Math.min(seconds, 40) * 100 })
    for (let second = 1; second <= 130; second += 1) {
      money.clock.ms += 1_000
      meter.checkpoint(talkative(second))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await meter.settle(talkative(130))
    expect(10_000_000_000n - money.state.balanceNano).toBe(totalCost(talkative(130), rates))
  })

  it('is refused without money for its first minute and an answer, and then holds nothing', async () => {
    const money = testMoney(sliceNano + reserveNano - 1n)
    expect(await money.worker().hold(money.call)).toBe('refused')
    expect(money.held()).toBe(0n)
    money.state.balanceNano += 1n
    const { hold } = money.worker()
    expect([await hold(money.call), await hold(money.call)]).toEqual(['held', 'held'])
    expect(money.held()).toBe(sliceNano)
  })

  it('costs nothing when it is not answered', async () => {
    const money = testMoney()
    const { hold, release } = money.worker()
    await hold(money.call)
    await release(money.call)
    await release(money.call)
    expect([money.held(), money.state.balanceNano]).toEqual([0n, 10_000_000_000n])
    expect(money.journal.rows.map(({ state }) => state)).toEqual(['released'])
  })

  it('costs nothing when it is a test, whatever the wallet has', async () => {
    const money = testMoney(reserveNano)
    const test = { ...money, call: { ...money.call, env: 'test' as const } }
    expect(await money.worker().hold(test.call)).toBe('held')
    const { meter } = await begun(test)
    await talk(money, meter, [0, 90])
    await meter.settle(usageAt(90))
    expect([money.state.balanceNano, money.journal.rows]).toEqual([reserveNano, []])
  })
})

describe('a call that runs out of money', () => {
  it('is told fifteen seconds before, and ends when nothing is paid any more', async () => {
    const money = testMoney(sliceNano + reserveNano)
    await money.worker().hold(money.call)
    const { meter, heard } = await begun(money)
    await talk(money, meter, [0, 59])
    expect(heard).toEqual(['low 15000'])
    await talk(money, meter, [59, 65])
    expect(heard).toEqual(['low 15000', 'insufficient_credits'])
    await meter.settle(usageAt(65))
    expect(sliceNano + reserveNano - money.state.balanceNano).toBe(totalCost(usageAt(60), rates))
    expect(money.held()).toBe(0n)
  })

  it('goes on when money came in time', async () => {
    const money = testMoney(sliceNano + reserveNano)
    await money.worker().hold(money.call)
    const { meter, heard } = await begun(money)
    await talk(money, meter, [0, 50])
    money.state.balanceNano += 10n * sliceNano
    await talk(money, meter, [50, 100])
    await meter.settle(usageAt(100))
    expect(heard).toEqual(['low 15000'])
  })

  it('ends when billing does not answer until the end of its minute, and is charged later', async () => {
    const money = testMoney()
    await money.worker().hold(money.call)
    const { meter, heard } = await begun(money)
    await talk(money, meter, [0, 20])
    money.state.isDown = true
    await talk(money, meter, [20, 61])
    expect(heard).toEqual(['billing_unavailable'])
    await meter.settle(usageAt(61))
    expect(money.late).not.toEqual([])
    money.state.isDown = false
    const { sweep } = createSliceSweep({ ...money, onLate: () => undefined })
    await sweep()
    await sweep()
    expect(10_000_000_000n - money.state.balanceNano).toBe(totalCost(usageAt(60), rates))
    expect(money.held()).toBe(0n)
  })
})

describe('a call whose worker died', () => {
  it('goes on with another one, and is charged once what it used', async () => {
    const money = testMoney()
    await money.worker().hold(money.call)
    const first = await begun(money)
    await talk(money, first.meter, [0, 75])
    await first.checkpoints.flush()
    const second = await begun(money, 2, usageAt(74))
    await talk(money, second.meter, [74, 160])
    await second.meter.settle(usageAt(160))
    expect(10_000_000_000n - money.state.balanceNano).toBe(totalCost(usageAt(160), rates))
    expect(money.held()).toBe(0n)
  })

  it('is charged its last checkpoint when no other worker comes', async () => {
    const money = testMoney()
    await money.worker().hold(money.call)
    const { meter, checkpoints } = await begun(money)
    await talk(money, meter, [0, 42])
    await checkpoints.flush()
    await talk(money, meter, [42, 43])
    const { sweep } = createSliceSweep({ ...money, onLate: () => undefined })
    expect([await sweep(), await sweep()]).toEqual([0, 2])
    expect(10_000_000_000n - money.state.balanceNano).toBe(totalCost(usageAt(42), rates))
    expect(money.held()).toBe(0n)
  })
})

it('rounds each line once over the whole call', () => {
  const lines = linesOf({ answeredMs: 1, recognizedMs: 1_001, spokenCharacters: 3 }, rates)
  expect(lines).toEqual({ telephonyNano: 0n, recognitionNano: 200_000n, synthesisNano: 30_000n, platformNano: 20_000n })
  expect(totalOf(lines)).toBe(250_000n)
})
