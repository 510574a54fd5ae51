import { PlayoutQueue } from './playout-queue.ts'

const loud = (samples: number) => new Int16Array(samples).fill(16_384)

it('plays in order, fills up with silence, and counts what was played of each utterance', () => {
  const queue = new PlayoutQueue(1_000)
  expect(queue.played).toBeNull()
  queue.add(1, loud(150))
  queue.add(2, loud(20))
  const block = new Float32Array(100)
  queue.fill(block)
  expect([queue.played, block[99]]).toEqual([{ id: 1, ms: 100 }, 0.5])
  queue.fill(block)
  expect(queue.played).toEqual({ id: 2, ms: 20 })
  expect([block[69], block[70]]).toEqual([0.5, 0])
  queue.fill(block)
  expect([queue.played, block[0]]).toEqual([{ id: 2, ms: 20 }, 0])
})

it('plays nothing more of what is cleared, and says what was played of it', () => {
  const queue = new PlayoutQueue(1_000)
  queue.add(1, loud(300))
  const block = new Float32Array(120)
  queue.fill(block)
  expect(queue.clear(1)).toEqual({ id: 1, ms: 120 })
  queue.add(1, loud(50))
  queue.add(2, loud(10))
  queue.fill(block)
  expect(queue.played).toEqual({ id: 2, ms: 10 })
  expect(queue.clear(7)).toEqual({ id: 7, ms: 0 })
})
