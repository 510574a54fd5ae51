import fc from 'fast-check'
import { splitList } from './split-list.ts'

const limits = { maxItemBytes: 1024 * 1024 }

async function split(text: string, name = 'logs') {
  const steps = splitList(Buffer.from(text), name, limits)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const { rest, items } = step.value
  const texts: (string | null)[] = []
  for await (const item of items ?? []) texts.push(item)
  return { rest, items: items === null ? null : texts }
}

it('reads what JSON.parse reads, of every object with a list', async () => {
  const whole = fc.record({ before: fc.jsonValue(), logs: fc.array(fc.jsonValue()), after: fc.jsonValue() })
  await fc.assert(
    fc.asyncProperty(whole, fc.constantFrom(0, 2), async (value, indent) => {
      const { rest, items } = await split(JSON.stringify(value, null, indent))
      expect(rest).toEqual({ ...JSON.parse(JSON.stringify(value)), logs: [] })
      expect(items?.map((item) => JSON.parse(item ?? ''))).toEqual(JSON.parse(JSON.stringify(value.logs)))
    }),
  )
})

it.each([
  ['{"logs": [ ], "a": 1}', { rest: { logs: [], a: 1 }, items: [] }],
  ['{"l\\u006fgs":[12345678901234567890]}', { rest: { logs: [] }, items: ['12345678901234567890'] }],
  ['{"a":{"logs":[1]},"b":"\\\\\\",[{"}', { rest: { a: { logs: [1] }, b: '\\",[{' }, items: null }],
  ['{"logs":{"a":[1]}}', { rest: { logs: { a: [1] } }, items: null }],
  ['[{"logs":[1]}]', { rest: [{ logs: [1] }], items: null }],
  ['', { rest: {}, items: null }],
  ['\uFEFF{"logs":["ü"]}', { rest: { logs: [] }, items: ['"ü"'] }],
  ['{"logs":[{"a":1} {"b":2},]}', { rest: { logs: [] }, items: ['{"a":1} {"b":2}', ''] }],
])('splits %s', async (text, expected) => {
  expect(await split(text)).toEqual(expected)
})

it.each([
  ['a list that does not end', '{"logs":[1,2'],
  ['an object that does not end', '{"logs":[1]'],
  ['a string that does not end', '{"logs":["]}'],
  ['a word', 'logs'],
  ['a brace too many', '{"logs":[1]}}'],
  ['a list that ends as an object', '{"logs":[1}}'],
  ['an object that ends as a list', '{"logs":[1]]'],
  ['an item that ends as another kind', '{"logs":[{"a":1],[2}]}'],
  ['a comma too many', '{"logs":[1],}'],
  ['the list twice', '{"logs":[1],"logs":[2]}'],
  ['much besides the list', `{"a":[${'0,'.repeat(40_000)}0],"logs":[1]}`],
])('refuses %s', async (_what, text) => {
  await expect(split(text)).rejects.toMatchObject({ code: 'invalid_request' })
})

it('throws nothing but refusals, whatever the bytes are', async () => {
  const pieces = fc.array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '"logs"', '1', ' '), {
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const text = parts.join('')
      await split(text).catch((error) => expect(error).toMatchObject({ code: 'invalid_request' }))
    }),
  )
})

const bytesOfBody = 8 * 1024 * 1024
const bodyOf = (before: string, repeated: string, after: string) =>
  Buffer.from(before + repeated.repeat(Math.floor(bytesOfBody / repeated.length)) + after)

const largeBodies: readonly [string, Buffer][] = [
  ['objects', bodyOf('{"logs":[', '{},', '{}]}')],
  ['lists in lists', bodyOf('{"logs":[', '[', '')],
  ['escaped quotes', bodyOf('{"logs":["', '\\"', '"]}')],
  ['short texts', bodyOf('{"logs":["', '"', '"]}')],
  ['a long key', bodyOf('{"', '\\"', '":1,"logs":[1]}')],
  ['keys of the name', bodyOf('{"logs":', '"logs":', '1}')],
  ['backslashes', bodyOf('{"logs":["', '\\\\', '"]}')],
  ['spaces', bodyOf('{"logs":[', ' ', '1]}')],
  ['spaces after a key', bodyOf('{"logs"', ' ', ':[1]}')],
  ['digits', bodyOf('{"logs":[', '1', ']}')],
]

it.each(largeBodies)('takes a few milliseconds for each step of 8 MB of %s', (_what, body) => {
  const steps = splitList(body, 'logs', limits)
  let longestMs = 0
  for (let isDone = false; !isDone; ) {
    const { user: before } = process.threadCpuUsage()
    try {
      isDone = steps.next().done === true
    } catch {
      isDone = true
    }
    longestMs = Math.max(longestMs, (process.threadCpuUsage().user - before) / 1_000)
  }
  expect(longestMs).toBeLessThan(40)
})

/** Null when the body is refused. */
function itemsIn(body: Buffer): AsyncIterable<string | null> | null {
  const steps = splitList(body, 'logs', limits)
  try {
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value.items
  } catch {
    return null
  }
}

it.each(largeBodies)('takes a few milliseconds for each turn over the items of 8 MB of %s', async (_what, body) => {
  const items = itemsIn(body)
  let longestMs = 0
  let isDone = false
  const watch = async () => {
    for (let { user: before } = process.threadCpuUsage(); !isDone; ) {
      await new Promise((resolve) => setImmediate(resolve))
      const { user } = process.threadCpuUsage()
      longestMs = Math.max(longestMs, (user - before) / 1_000)
      before = user
    }
  }
  const watching = watch()
  let count = 0
  for await (const _ of items ?? []) {
    count += 1
    // As its callers do: the items themselves are their work.
    if (count % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve))
    if (count === 100_000) break
  }
  isDone = true
  await watching
  expect(longestMs).toBeLessThan(40)
})

it('does not decode an item that is longer than one may be', async () => {
  const long = `"${'x'.repeat(limits.maxItemBytes - 1)}"`
  expect((await split(`{"logs":[1,${long},2]}`)).items).toEqual(['1', null, '2'])
  expect((await split(`{"logs":[${long.replace('x', '')}]}`)).items).toHaveLength(1)
})
