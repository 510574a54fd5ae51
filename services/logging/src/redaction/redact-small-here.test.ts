import { capturedExchange } from '../capture/captured.fixture.ts'
import { inlineRedactor } from './inline-redactor.fixture.ts'
import { redactSmallHere, smallBytes } from './redact-small-here.ts'
import type { IdentifiedCapture, Redactor } from './redactor.ts'

const secret = 'AKIAQYLPMN5HNM4OZ56B'
const captureOf = (index: number, content: unknown): IdentifiedCapture => ({
  id: `id-${index}`,
  captured: capturedExchange(index, { request: { messages: [{ role: 'user', content }] } }),
})
const small = (index: number) => captureOf(index, `question ${index} with ${secret}`)
const large = (index: number) =>
  captureOf(index, `question ${index} with ${secret} ${'and more '.repeat(smallBytes / 9)}`)

/** A thread that notes which captures it is given. */
function threadWithNotes() {
  const given: IdentifiedCapture[] = []
  const thread: Redactor = {
    ...inlineRedactor,
    captures(captures) {
      given.push(...captures)
      return inlineRedactor.captures(captures)
    },
  }
  return { given, redactor: redactSmallHere(thread) }
}

it('redacts small exchanges like the thread, and leaves only large ones to it', async () => {
  const { given, redactor } = threadWithNotes()
  const captures = [large(1), small(2), small(3), large(4), small(5)]
  expect(await redactor.captures(captures)).toEqual(await inlineRedactor.captures(captures))
  expect(given).toEqual([captures[0], captures[3]])
})

it('leaves it to the thread to decide that an exchange cannot be redacted', async () => {
  const { given, redactor } = threadWithNotes()
  const broken = { ...small(1), captured: { ...capturedExchange(1), request: Buffer.from(`{${secret}`) } }
  expect(await redactor.captures([broken, small(2)])).toMatchObject([
    { kind: 'failed', reason: 'not JSON' },
    { kind: 'done' },
  ])
  expect(given).toEqual([broken])
})

it('lets the event loop go on between parts of a large batch', async () => {
  const { redactor } = threadWithNotes()
  let turns = 0
  let isDone = false
  const redacted = redactor.captures(Array.from({ length: 200 }, (_, index) => captureOf(index, 'a '.repeat(4_000))))
  void redacted.finally(() => {
    isDone = true
  })
  for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(await redacted).toHaveLength(200)
  expect(turns).toBeGreaterThan(10)
})

it('has no result for no exchange', async () => {
  expect(await threadWithNotes().redactor.captures([])).toEqual([])
})
