import { createSlicedWork } from './sliced-work.ts'

/** A computation of so many steps, each of which takes a millisecond of a clock that only computations move. */
function computing(clock: { now: number }, steps: number, onStep: () => void = () => undefined) {
  return (function* () {
    for (let step = 0; step < steps; step += 1) {
      clock.now += 1
      onStep()
      yield
    }
    return steps
  })()
}

it('lets other work run between slices, in which computations take turns', async () => {
  const clock = { now: 0 }
  const work = createSlicedWork({ sliceMs: 5, elapsed: () => clock.now })
  const ran: string[] = []
  let isDone = false
  const turns: number[] = []
  const watch = () => {
    turns.push(clock.now)
    if (!isDone) setImmediate(watch)
  }
  setImmediate(watch)
  const results = await Promise.all(['a', 'b', 'c'].map((name) => work.run(computing(clock, 12, () => ran.push(name)))))
  isDone = true
  expect(results).toEqual([12, 12, 12])
  expect(ran.join('')).toBe('aaaaabbbbbcccccaaaaabbbbbcccccaabbcc')
  const slices = turns.map((at, index) => at - (turns[index - 1] ?? 0))
  expect(Math.max(...slices)).toBeLessThanOrEqual(5)
})

it('rejects with what a computation throws, and runs the others and later ones', async () => {
  const work = createSlicedWork()
  const failing = work.run(
    // biome-ignore lint/correctness/useYield: it throws before its first step
    (function* (): Generator<void, number> {
      throw new Error('out of range')
    })(),
  )
  const clock = { now: 0 }
  const other = work.run(computing(clock, 3))
  await expect(failing).rejects.toThrow('out of range')
  expect(await other).toBe(3)
  expect(await work.run(computing(clock, 2))).toBe(2)
})
