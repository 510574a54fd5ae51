import fc from 'fast-check'
import { createFramePacer } from './create-frame-pacer.ts'

/** A clock whose timers fire late by what `lateness` says. */
function lateClock(lateness: () => number) {
  let now = 1_000
  let timer: { at: number; callback: () => void } | null = null
  return {
    nowMs: () => now,
    block: (ms: number) => {
      now += ms
    },
    schedule: (callback: () => void, delayMs: number) => {
      const own = { at: now + delayMs + lateness(), callback }
      timer = own
      return () => {
        if (timer === own) timer = null
      }
    },
    runUntil(end: number) {
      while (timer !== null && timer.at <= end) {
        const { at, callback } = timer
        timer = null
        now = Math.max(now, at)
        callback()
      }
      now = Math.max(now, end)
    },
    get isIdle() {
      return timer === null
    },
  }
}

it('sends as many frames as time has passed, however late its timers fire', () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 39, noNaN: true })), (lateness) => {
      const clock = lateClock(() => lateness.next().value)
      let frames = 0
      createFramePacer(clock).add(() => {
        frames++
      })
      clock.runUntil(61_000)
      expect(Math.abs(frames - 3_000)).toBeLessThanOrEqual(2)
    }),
    { numRuns: 50 },
  )
})

it('goes on at normal speed after the process was blocked', () => {
  const clock = lateClock(() => 0)
  const times: number[] = []
  const late: number[] = []
  createFramePacer({ ...clock, nowMs: clock.nowMs, onLate: (ms) => late.push(ms) }).add(() => times.push(clock.nowMs()))
  clock.runUntil(1_100)
  clock.block(310)
  clock.runUntil(1_600)
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(320)
  expect(gaps.filter((gap) => gap !== 20)).toEqual([310])
  expect(late).toEqual([290])
})

it('serves calls until each ends, and has no timer without a call', () => {
  const clock = lateClock(() => 0)
  const pacer = createFramePacer(clock)
  const counts = [0, 0]
  const ends = counts.map((_, i) =>
    pacer.add(() => {
      counts[i] = (counts[i] ?? 0) + 1
    }),
  )
  clock.runUntil(1_100)
  ends[0]?.()
  clock.runUntil(1_200)
  ends[1]?.()
  expect(clock.isIdle).toBe(true)
  clock.runUntil(2_000)
  expect(counts).toEqual([5, 10])
  pacer.add(() => {
    counts[0] = (counts[0] ?? 0) + 1
  })
  clock.runUntil(2_100)
  expect(counts[0]).toBe(10)
})
