import { mock } from 'node:test'
import { createReaderPace } from './reader-pace.ts'

let ms = 0
beforeEach(() => {
  ms = 0
  mock.timers.enable({ apis: ['setTimeout'] })
})
afterEach(() => mock.timers.reset())

function pass(forMs: number): void {
  ms += forMs
  mock.timers.tick(forMs)
}

function paced() {
  const state = { slow: 0 }
  const onSlow = () => {
    state.slow += 1
  }
  const pace = createReaderPace({ windowMs: 60_000, minBytes: 1_000, nowMs: () => ms, onSlow })
  return { pace, state }
}

it('ends a reader that takes nothing for the window', () => {
  const { pace, state } = paced()
  pace.wrote(5_000)
  pace.full()
  pass(59_999)
  expect(state.slow).toBe(0)
  pass(1)
  expect(state.slow).toBe(1)
})

it('ends a reader that takes a few bytes from time to time', () => {
  const { pace, state } = paced()
  for (let second = 0; second < 60; second += 1) {
    pace.wrote(10)
    pace.full()
    pass(1_000)
    pace.drained()
  }
  pace.wrote(10)
  pace.full()
  pass(1)
  expect(state.slow).toBe(1)
})

it('never ends a reader that takes enough in each window, however long the answer is', () => {
  const { pace, state } = paced()
  for (let minute = 0; minute < 100; minute += 1) {
    pace.wrote(1_000)
    pace.full()
    pass(59_000)
    pace.drained()
  }
  expect(state.slow).toBe(0)
})

it('does not count the time in which the reader has taken all there is', () => {
  const { pace, state } = paced()
  for (let hour = 0; hour < 50; hour += 1) {
    pace.wrote(10)
    pace.full()
    pass(1_000)
    pace.drained()
    pass(3_600_000)
  }
  expect(state.slow).toBe(0)
})

it('has a shorter window where there is no room to wait', () => {
  const { pace, state } = paced()
  pace.wrote(5_000)
  pace.full(5_000)
  pass(5_000)
  expect(state.slow).toBe(1)
})

it('stops', () => {
  const { pace, state } = paced()
  pace.full()
  pace.stop()
  pass(120_000)
  expect(state.slow).toBe(0)
})
