import fc from 'fast-check'
import { splitList } from './split-list.ts'

async function split(text: string, name = 'logs') {
  const steps = splitList(Buffer.from(text), name)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const { rest, items } = step.value
  const texts: string[] = []
  for await (const item of items ?? []) texts.push(item)
  return { rest, items: items === null ? null : texts }
}

it('reads what JSON.parse reads, of every object with a list', async () => {
  const whole = fc.record({ before: fc.jsonValue(), logs: fc.array(fc.jsonValue()), after: fc.jsonValue() })
  await fc.assert(
    fc.asyncProperty(whole, fc.constantFrom(0, 2), async (value, indent) => {
      const { rest, items } = await split(JSON.stringify(value, null, indent))
      expect(rest).toEqual({ ...JSON.parse(JSON.stringify(value)), logs: [] })
      expect(items?.map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(value.logs)))
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

it('takes a few milliseconds for each step of a large body', () => {
  const steps = splitList(Buffer.from(`{"logs":[${'{},'.repeat(3_000_000)}{}]}`), 'logs')
  const longest = { ms: 0 }
  for (let isDone = false; !isDone; ) {
    const { user: before } = process.threadCpuUsage()
    isDone = steps.next().done === true
    longest.ms = Math.max(longest.ms, (process.threadCpuUsage().user - before) / 1_000)
  }
  expect(longest.ms).toBeLessThan(50)
})
