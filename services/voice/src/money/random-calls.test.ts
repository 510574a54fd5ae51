import fc from 'fast-check'
import { type CallMeter, type CallUsage, noUsage } from '../calls/call-money.ts'
import { totalCost, worstSlice } from './call-lines.ts'
import { reserveNano } from './create-call-money.ts'
import { createSliceSweep } from './finish-slices.ts'
import { heardEvents, testMoney, testPrices } from './memory-money.fixture.ts'

const rates = testPrices.ratesOf({ voice: 'sim/readable', recognizer: 'sim', telephony: null })
if (rates === null) throw new Error('the test has no rates')
const sliceNano = worstSlice(rates)

/** What happens to a call, one after the other. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('talk' as const), seconds: fc.integer({ min: 1, max: 70 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), isFlushed: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('outage' as const), seconds: fc.integer({ min: 1, max: 50 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const) }) },
)

const course = fc.record({
  happenings: fc.array(happening, { minLength: 1, maxLength: 10 }),
  slices: fc.integer({ min: 1, max: 8 }),
  charactersPerSecond: fc.integer({ min: 0, max: 40 }),
  isSettled: fc.boolean(),
})

const soon = () => new Promise((resolve) => setImmediate(resolve))

it('charges each slice once, what is written for it, and never more than was used, whatever dies', async () => {
  await fc.assert(
    fc.asyncProperty(course, async ({ happenings, slices, charactersPerSecond, isSettled }) => {
      const balanceNano = BigInt(slices) * sliceNano + reserveNano
      const money = testMoney(balanceNano)
      const { call, clock, state, held, holds, journal } = money
      const usageAt = (seconds: number): CallUsage => {
        return {
          answeredMs: seconds * 1_000,
          recognizedMs: seconds * 900,
          spokenCharacters: seconds * charactersPerSecond,
        }
      }
      const { sweep } = createSliceSweep({ ...money, onLate: () => undefined })
      expect(await money.worker().hold(call)).toBe('held')
      let worker = money.worker()
      let seconds = 0
      let generation = 1
      let heard = heardEvents()
      let meter: CallMeter | 'refused' = await worker.begin(call, { generation, usage: noUsage }, heard.events)
      const talk = async (length: number) => {
        for (let second = 0; second < length && meter !== 'refused' && !heard.heard.some(isEnd); second += 1) {
          clock.ms += 1_000
          seconds += 1
          meter.checkpoint(usageAt(seconds))
          await soon()
          if (second % 7 === 0) await worker.checkpoints.flush()
        }
      }
      for (const each of happenings) {
        if (each.kind === 'talk') await talk(each.seconds)
        if (each.kind === 'sweep') await sweep()
        if (each.kind === 'outage') {
          state.isDown = true
          await talk(each.seconds)
          state.isDown = false
        }
        if (each.kind === 'kill' && meter !== 'refused' && !heard.heard.some(isEnd)) {
          if (each.isFlushed) await worker.checkpoints.flush()
          worker = money.worker()
          heard = heardEvents()
          generation += 1
          meter = await worker.begin(call, { generation, usage: usageAt(seconds) }, heard.events)
        }
      }
      if (isSettled && meter !== 'refused') await meter.settle(usageAt(seconds))
      for (let time = 0; time < 3; time += 1) await sweep()

      expect(held()).toBe(0n)
      for (const row of journal.rows) {
        expect(['posted', 'released']).toContain(row.state)
        expect(holds.get(row.holdId)?.chargedNano ?? 0n).toBe(row.chargedNano)
      }
      const chargedNano = journal.rows.reduce((sum, row) => sum + (row.chargedNano ?? 0n), 0n)
      expect(balanceNano - state.balanceNano).toBe(chargedNano)
      expect(chargedNano).toBeLessThanOrEqual(totalCost(usageAt(seconds), rates))
    }),
    { numRuns: 300 },
  )
}, 60_000)

function isEnd(event: string): boolean {
  return !event.startsWith('low')
}
