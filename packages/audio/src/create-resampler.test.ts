import fc from 'fast-check'
import { createResampler } from './create-resampler.ts'
import { tonePower } from './tone-power.ts'

const tone = (rate: number, hertz: number, seconds: number) =>
  Int16Array.from({ length: Math.round(rate * seconds) }, (_, i) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * i) / rate)),
  )

const rms = (pcm: Int16Array) => Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length)

const pairs = [
  [8_000, 16_000],
  [16_000, 8_000],
  [8_000, 24_000],
  [24_000, 8_000],
  [16_000, 24_000],
  [24_000, 16_000],
  [48_000, 16_000],
  [44_100, 16_000],
] as const

it.each(pairs)('keeps a tone of the telephone band from %d to %d hertz', (from, to) => {
  for (const hertz of [350, 1_000, 2_500, 3_300]) {
    const out = createResampler(from, to).push(tone(from, hertz, 0.5))
    const middle = out.slice(Math.round(to * 0.1), Math.round(to * 0.4))
    expect(out.length).toBe(Math.ceil((from * 0.5 * to) / from))
    expect(rms(middle) / (10_000 / Math.SQRT2)).toBeCloseTo(1, 1)
    expect(tonePower(middle, { hertz, sampleRate: to })).toBeGreaterThan(0.99)
  }
})

it.each([
  [16_000, 8_000, 5_000],
  [24_000, 8_000, 7_000],
  [24_000, 16_000, 10_000],
] as const)('removes from %d to %d hertz a tone of %d hertz that the lower rate cannot carry', (from, to, hertz) => {
  const out = createResampler(from, to).push(tone(from, hertz, 0.5))
  expect(rms(out.slice(400)) / 10_000).toBeLessThan(0.002)
})

it('returns the same samples however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...pairs),
      fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 20 }),
      ([from, to], cuts) => {
        const pcm = tone(from, 700, cuts.reduce((sum, cut) => sum + cut, 0) / from)
        const whole = createResampler(from, to).push(pcm)
        const pieces = createResampler(from, to)
        const joined: number[] = []
        let at = 0
        for (const cut of cuts) {
          joined.push(...pieces.push(pcm.slice(at, at + cut)))
          at += cut
        }
        expect(Int16Array.from(joined)).toEqual(whole)
      },
    ),
    { numRuns: 100 },
  )
})

it('delays a sound by what it says', () => {
  const impulse = new Int16Array(800)
  impulse[400] = 20_000
  const resampler = createResampler(8_000, 16_000)
  const out = resampler.push(impulse)
  const loudest = out.indexOf(Math.max(...out))
  expect(Math.abs((loudest / 16_000) * 1000 - (50 + resampler.delayMs))).toBeLessThan(0.07)
})
