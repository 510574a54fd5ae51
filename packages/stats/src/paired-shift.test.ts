import { pairedShift } from './paired-shift.ts'
import { randomFromSeed } from './random-from-seed.ts'

it('is the difference of both rates, with half an item added to each outcome', () => {
  const found = pairedShift({ gained: 8, lost: 2, pairs: 50 })
  expect(found?.shift).toBeCloseTo(6 / 52, 12)
  expect(found?.standardError).toBeCloseTo(Math.sqrt(11 - 36 / 52) / 52, 12)
  expect(found?.interval.low).toBeCloseTo(6 / 52 - 1.959963984540054 * (found?.standardError ?? 0), 12)
})

it('has a width when no pair differs', () => {
  expect(pairedShift({ gained: 0, lost: 0, pairs: 98 })).toMatchObject({ shift: 0, standardError: 0.01 })
})

it('is null without pairs, and refuses impossible counts', () => {
  expect(pairedShift({ gained: 0, lost: 0, pairs: 0 })).toBeNull()
  expect(() => pairedShift({ gained: 2, lost: 2, pairs: 3 })).toThrow('3 together')
})

it('contains the true shift about as often as it says', () => {
  const random = randomFromSeed('paired shift')
  let covered = 0
  for (let run = 0; run < 4_000; run += 1) {
    let gained = 0
    let lost = 0
    for (let pair = 0; pair < 50; pair += 1) {
      const at = random()
      if (at < 0.1) gained += 1
      else if (at < 0.15) lost += 1
    }
    const { low = 1, high = -1 } = pairedShift({ gained, lost, pairs: 50 })?.interval ?? {}
    if (low <= 0.05 && high >= 0.05) covered += 1
  }
  expect(covered / 4_000).toBeGreaterThan(0.94)
})
