import { readPrompts } from './read-prompts.ts'

const linesOf = (count: number) =>
  Buffer.from(Array.from({ length: count }, (_, n) => `{"messages":[{"role":"user","content":"${n}"}]}`).join('\n'))
const order = (count: number) => ({ training: linesOf(count), heldOut: null, seed: 1, lookPrompts: 32 })

/** What the steps return, and processor time of the longest, milliseconds. */
function readIn(count: number) {
  const steps = readPrompts(order(count))
  for (let longestMs = 0; ; ) {
    const before = process.cpuUsage()
    const { done, value } = steps.next()
    longestMs = Math.max(longestMs, process.cpuUsage(before).user / 1_000)
    if (done === true) return { read: value, longestMs }
  }
}

it('reads very many short prompts in steps, and no more than fit into memory', () => {
  const { read, longestMs } = readIn(60_000)
  expect(longestMs).toBeLessThan(800)
  expect(read).toMatchObject({
    kind: 'ready',
    parts: { train: { length: 10_000 }, guard: { length: 32 }, proof: { length: 500 } },
    warnings: ['Of 45000 prompts 10000 are used, chosen at random.', 'Only the first 50000 distinct prompts are read.'],
  })
})

it('divides the same prompts alike', () => {
  const [first, again] = [readIn(1_000).read, readIn(1_000).read]
  expect(again).toEqual(first)
  expect(first).toMatchObject({ kind: 'ready', parts: { train: { length: 900 } }, warnings: [] })
})

it('has no conversation in two parts', () => {
  const turns = (conversation: number, count: number) =>
    Array.from({ length: count }, (_, turn) => [
      { role: 'user', content: `Question ${conversation}` },
      { role: 'assistant', content: 'An answer.' },
      { role: 'user', content: `More ${turn}` },
    ])
  const lines = Array.from({ length: 400 }, (_, index) => turns(index, 3)).flat()
  const training = Buffer.from(lines.map((messages) => JSON.stringify({ messages })).join('\n'))
  const steps = readPrompts({ training, heldOut: null, seed: 1, lookPrompts: 32 })
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const read = step.value
  if (read.kind === 'bad') throw new Error(read.message)
  const { train, guard, proof } = read.parts
  const conversations = [train, guard, proof].map((part) => new Set(part.map(({ messages }) => messages[0]?.content)))
  const all = conversations.flatMap((part) => [...part])
  expect(all.length).toBe(new Set(all).size)
  // The conversation at the boundary is in looks alone.
  expect([train.length, guard.length, proof.length]).toEqual([1_080, 32, 87])
})
