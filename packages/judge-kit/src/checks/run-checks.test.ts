import { CriterionCheck } from '@ratchet/contracts/criterion-checks'
import type { ExchangeMessage } from '../prompt/exchange.ts'
import { checksWithoutScripts } from './checks.fixture.ts'
import { runChecks } from './run-checks.ts'
import type { ScriptResult, ScriptTask } from './script.ts'

const workspaceId = '00000000-0000-4000-8000-000000000001'

function judged(
  checks: readonly object[],
  response: string | ExchangeMessage,
  more: { readonly messages?: readonly ExchangeMessage[]; readonly unit?: 'trace' } = {},
) {
  const { messages = [{ role: 'user', content: 'Hello' }], unit = 'request' } = more
  const answer = typeof response === 'string' ? { role: 'assistant', content: response } : response
  const exchange = { messages, response: answer, tools: null, model: null }
  return runChecks(
    { checks: checks.map((check) => CriterionCheck.parse(check)), exchange, unit, workspaceId },
    checksWithoutScripts,
  )
}

const calls = (name: string, args: string) => ({
  role: 'assistant',
  tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: args } }],
})

it.each<[string, object, string | ExchangeMessage, 'pass' | 'fail']>([
  ['JSON', { type: 'json' }, ' {"a":[1]} ', 'pass'],
  ['JSON in a fence', { type: 'json' }, '```json\n{}\n```', 'fail'],
  ['JSON that must not be', { type: 'json', negate: true }, '{}', 'fail'],
  ['a schema', { type: 'json_schema', schema: { required: ['city'] } }, '{"city":"Rome"}', 'pass'],
  ['a schema without the field', { type: 'json_schema', schema: { required: ['city'] } }, '{}', 'fail'],
  ['a pattern', { type: 'regex', pattern: '[A-Z]+-\\d+' }, 'AB-17', 'pass'],
  ['a pattern that matches a part', { type: 'regex', pattern: '[A-Z]+-\\d+' }, 'It is AB-17.', 'fail'],
  ['all values', { type: 'contains', values: ['refund', 'days'] }, 'A REFUND takes 5 days.', 'pass'],
  ['one value of two', { type: 'contains', values: ['refund', 'weeks'] }, 'A refund takes 5 days.', 'fail'],
  ['a value that must not be', { type: 'contains', values: ['guarantee'], negate: true }, 'No promise.', 'pass'],
  ['words', { type: 'length', min: 2, max: 3 }, 'one two three', 'pass'],
  ['too many words', { type: 'length', max: 2 }, 'one two three', 'fail'],
  ['characters, not code units', { type: 'characters', max: 2 }, '😀😀', 'pass'],
  ['a tool', { type: 'tool_called', name: 'search', args: { q: 'x' } }, calls('search', '{"q":"x","n":1}'), 'pass'],
  [
    'a tool with other arguments',
    { type: 'tool_called', name: 'search', args: { q: 'y' } },
    calls('search', '{"q":"x"}'),
    'fail',
  ],
  ['no tool', { type: 'no_tool_call' }, 'Done.', 'pass'],
])('checks %s', async (_, check, response, verdict) => {
  expect(await judged([check], response)).toMatchObject({ kind: 'verdict', verdict })
})

it('passes when each check does, and names those that fail', async () => {
  const checks = [{ type: 'json' }, { type: 'length', max: 1 }, { type: 'contains', values: ['x'] }]
  expect(await judged(checks, '{"x":1}')).toEqual({
    kind: 'verdict',
    verdict: 'pass',
    explanation: 'It passes all 3 checks.',
  })
  expect(await judged(checks, 'two words')).toEqual({
    kind: 'verdict',
    verdict: 'fail',
    explanation: 'It fails check 1 (json); check 2 (length); check 3 (contains).',
  })
})

it('sees the calls of all steps of a run, and of the answer alone in an exchange', async () => {
  const check = { type: 'tool_called', name: 'search' }
  const messages = [{ role: 'user', content: 'Find it.' }, calls('search', '{}'), { role: 'tool', content: '[]' }]
  expect(await judged([check], 'Nothing.', { messages, unit: 'trace' })).toMatchObject({ verdict: 'pass' })
  expect(await judged([check], 'Nothing.', { messages })).toMatchObject({ verdict: 'fail' })
})

it('gives scripts the exchange, takes their reason, and has no verdict when one fails', async () => {
  const tasks: ScriptTask[] = []
  const run = (result: ScriptResult, negate = false) =>
    runChecks(
      {
        checks: [{ type: 'script', source: 'the script', negate }],
        exchange: {
          messages: [{ role: 'user', content: 'Hi' }],
          response: { role: 'assistant', content: 'Yes' },
          tools: null,
          model: null,
        },
        unit: 'request',
        workspaceId,
      },
      {
        ...checksWithoutScripts,
        runScript: async (_workspaceId, task) => {
          tasks.push(task)
          return result
        },
      },
    )
  const failing: ScriptResult = { kind: 'ran', pass: false, reason: 'too blunt' }
  expect(await run(failing)).toEqual({
    kind: 'verdict',
    verdict: 'fail',
    explanation: 'It fails check 1 (script): too blunt.',
  })
  expect(await run(failing, true)).toMatchObject({ kind: 'verdict', verdict: 'pass' })
  expect(await run({ kind: 'failed', problem: 'TypeError: x' })).toMatchObject({ kind: 'failed' })
  expect(tasks[0]).toEqual({
    source: 'the script',
    answer: {
      text: 'Yes',
      response: { role: 'assistant', content: 'Yes' },
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [],
    },
  })
})

it('lets others have their turn while it checks long answers', async () => {
  const value = `${'a'.repeat(500)}b${'a'.repeat(1_400)}`
  const checks = Array.from({ length: 20 }, () => ({ type: 'contains', values: [value, value] }))
  let turns = 0
  const count = setInterval(() => {
    turns += 1
  }, 1)
  const answer = `${'a'.repeat(1_000_000)} ${value}`
  expect(await judged(checks, answer)).toMatchObject({ verdict: 'pass' })
  clearInterval(count)
  expect(turns).toBeGreaterThan(20)
})

it.each([
  ['pattern', { type: 'regex', pattern: '.*(?:password|secret)[a-z]{60}.*' }, 'x'.repeat(60_000)],
  ['JSON', { type: 'json' }, `"${'x'.repeat(100_000)}"`],
  ['schema', { type: 'json_schema', schema: {} }, `"${'x'.repeat(100_000)}"`],
])('has no verdict on a long answer that must not fit a %s, because it was not compared', async (_, check, answer) => {
  expect(await judged([{ ...check, negate: true }], answer)).toEqual({
    kind: 'failed',
    explanation: `The check 1 (${check.type}) has no result: the answer is too long for it`,
  })
  expect(await judged([check], answer)).toMatchObject({ kind: 'verdict', verdict: 'fail' })
})
