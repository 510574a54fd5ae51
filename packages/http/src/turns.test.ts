import { promisify } from 'node:util'
import { createTurns } from './turns.ts'

const nextTurn = promisify(setImmediate)

/** Computes for so many milliseconds. */
function compute(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('runs the steps of many streams by turns, and for a limited time before anything else', async () => {
  const turns = createTurns()
  const ran: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    let left = 3
    const step = () => {
      compute(2)
      ran.push(name)
      left -= 1
      if (left > 0) turns.add(step)
    }
    turns.add(step)
  }
  let before = 0
  const inOneTurn: number[] = []
  while (ran.length < 24) {
    await nextTurn()
    inOneTurn.push(ran.length - before)
    before = ran.length
  }
  expect(ran.join('')).toBe('abcdefgh'.repeat(3))
  // Three steps of 2 ms take 6 ms.
  expect(Math.max(...inOneTurn)).toBeLessThanOrEqual(3)
})

it('runs a step once that was added twice, and not at all when it was deleted', async () => {
  const turns = createTurns()
  let count = 0
  const step = () => {
    count += 1
  }
  const deleted = () => {
    count += 100
  }
  turns.add(step)
  turns.add(step)
  turns.add(deleted)
  turns.delete(deleted)
  await nextTurn()
  await nextTurn()
  expect(count).toBe(1)
})
