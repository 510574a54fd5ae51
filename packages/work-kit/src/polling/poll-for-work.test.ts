import { eventually } from '@ratchet/testing/eventually'
import { staysTrueFor } from '@ratchet/testing/stays-true-for'
import { type PollOptions, pollForWork } from './poll-for-work.ts'

let stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops) await stop()
  stops = []
})

/** Searches every 5 ms, and after 50 ms without work every minute. */
function start(options: Partial<PollOptions> = {}) {
  let listener: () => void = () => undefined
  const seen = { searches: 0, errors: 0, isListening: true, found: 0 }
  const stop = pollForWork({
    everyMs: 5,
    quiet: { afterMs: 50, everyMs: 60_000 },
    work: async () => {
      seen.searches += 1
      return seen.found
    },
    onError: () => {
      seen.errors += 1
    },
    changes: {
      isListening: () => seen.isListening,
      onChange(heard) {
        listener = heard
      },
    },
    ...options,
  })
  stops.push(stop)
  return { seen, stop, announce: () => listener() }
}

/** Waits until searches are rare, and returns how many there were. */
async function quiet(seen: { readonly searches: number }): Promise<number> {
  let before = -1
  await eventually(
    () => {
      const isQuiet = seen.searches === before && before > 1
      before = seen.searches
      expect(isQuiet).toBe(true)
    },
    { everyMs: 100 },
  )
  return before
}

it('searches rarely when there is no work, and at once when a change is announced', async () => {
  const { seen, announce } = start()
  const before = await quiet(seen)

  announce()

  expect(seen.searches).toBe(before + 1)
  await eventually(() => expect(seen.searches).toBeGreaterThan(before + 3))
})

it('searches often while there is work', async () => {
  const { seen } = start()
  seen.found = 1
  await eventually(() => expect(seen.searches).toBeGreaterThan(40))
  seen.found = 0
  await quiet(seen)
})

it('searches often while changes would not be noticed', async () => {
  const { seen } = start()
  seen.isListening = false
  await eventually(() => expect(seen.searches).toBeGreaterThan(40))
})

it('does not search twice at the same time, and searches again after a change during a search', async () => {
  let [running, most, searches] = [0, 0, 0]
  let end: () => void = () => undefined
  const { announce } = start({
    async work() {
      searches += 1
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => {
        end = resolve
      })
      running -= 1
      return 0
    },
    quiet: { afterMs: 10_000, everyMs: 60_000 },
  })
  announce()
  await eventually(() => expect(running).toBe(1))
  announce()
  announce()
  expect(searches).toBe(1)
  end()
  await eventually(() => expect([searches, running]).toEqual([2, 1]))
  end()
  expect(most).toBe(1)
})

it('continues after an error, and stops', async () => {
  const { seen, stop } = start({ work: () => Promise.reject(new Error('away')) })
  await eventually(() => expect(seen.errors).toBeGreaterThan(2))
  await stop()
  const { errors } = seen
  await staysTrueFor(40, () => seen.errors === errors)
})
