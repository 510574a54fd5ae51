import { cpuMs } from '@ratchet/testing/cpu-time'
import { comparedText, createNearest, wordsOf } from './compared-call.ts'
import { observedCalls, offeredTool } from './observed-calls.ts'
import { argumentsSeen, coverageOnHoldout, finderOf, recordCalls } from './record-calls.ts'

const exact = { match: 'exact', keyArguments: [], ignoreArguments: [] } as const
const whole = <T>(steps: Generator<void, T>): T => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}
const call = (traceId: string, args: Readonly<Record<string, unknown>>, result: string) => ({
  traceId,
  arguments: args,
  result,
})

describe('what is compared of a call', () => {
  it.each([
    ['exact', { b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    ['exact', { a: ' Rome' }, '{"a":" Rome"}'],
    ['normalized', { a: ' ROME  city', b: null, c: '' }, '{"a":"rome city"}'],
    ['nearest', { a: ' ROME' }, '{"a":"rome"}'],
  ] as const)('%s: %j', (match, args, text) => {
    expect(comparedText(args, { ...exact, match })).toBe(text)
  })

  it('has only the key arguments, or all but the ignored ones', () => {
    const args = { query: 'x', session: 'a1' }
    expect(comparedText(args, { ...exact, keyArguments: ['query'] })).toBe('{"query":"x"}')
    expect(comparedText(args, { ...exact, ignoreArguments: ['session'] })).toBe('{"query":"x"}')
  })
})

describe('the nearest call', () => {
  const find = createNearest(['weather in rome today', 'weather in paris today', ''].map(wordsOf))
  it.each([
    ['weather in rome today', 0],
    ['the weather in paris today', 1],
    ['weather in oslo today', null],
    ['', 2],
    ['nothing of it', null],
  ])('%s', (text, index) => {
    expect(find(wordsOf(text))).toBe(index)
  })

  it('is the same as by comparing all', () => {
    const sets = Array.from(
      { length: 300 },
      (_, i) => new Set([`a${i % 7}`, `b${i % 11}`, `c${i % 5}`, 'x', 'y', 'z', 'w']),
    )
    const nearest = createNearest(sets)
    for (const words of sets) expect(sets[nearest(words) ?? -1]).toEqual(words)
  })
})

it('takes moments among recordings that are all alike', () => {
  const words = Array.from({ length: 600 }, (_, word) => `word${word}`).join(' ')
  const recordings = Array.from({ length: 10_000 }, (_, i) => ({ key: `${i}`, compared: `${words} ${i}` }))
  const used = cpuMs(() => {
    const find = finderOf(recordings, { match: 'nearest' })
    for (let i = 0; i < 20; i += 1) expect(find(`${words} x${i}`)).toBe(recordings[0])
  })
  expect(used).toBeLessThan(3_000)
})

it('keeps the most frequent answer, and counts what has several', () => {
  const calls = [
    call('t1', { a: 1 }, 'one'),
    call('t2', { a: 1 }, 'uno'),
    call('t3', { a: 1 }, 'uno'),
    call('t4', { a: 2 }, 'two'),
  ]
  const { recordings, distinct, conflicting } = whole(recordCalls(calls, exact, 10))
  expect([distinct, conflicting]).toEqual([2, 1])
  expect(recordings.map(({ arguments: args, result, seen }) => [args, result, seen])).toEqual([
    ['{"a":1}', 'uno', 2],
    ['{"a":2}', 'two', 1],
  ])
  expect(whole(recordCalls(calls, exact, 1)).recordings).toHaveLength(1)
  expect(finderOf(recordings, exact)('{"a":2}')?.result).toBe('two')
  expect(finderOf(recordings, exact)('{"a":3}')).toBeNull()
})

describe('coverage', () => {
  const traces = Array.from({ length: 200 }, (_, i) => `trace-${i}`)

  it('is measured on traces that are left out, with an interval', () => {
    const calls = traces.map((id, i) => call(id, { city: `city ${i % 10}` }, 'sunny'))
    const coverage = whole(coverageOnHoldout(calls, exact, 1_000))
    expect(coverage.rate).toBe(1)
    expect(coverage.calls).toBeGreaterThan(20)
    expect(coverage.calls).toBeLessThan(80)
  })

  it('shows that a session id among the arguments never repeats', () => {
    const calls = traces.map((id, i) => call(id, { city: `city ${i % 10}`, session: id }, 'sunny'))
    expect(whole(coverageOnHoldout(calls, exact, 1_000))).toMatchObject({ rate: 0, interval: [0, 0] })
    expect(whole(coverageOnHoldout(calls, { ...exact, ignoreArguments: ['session'] }, 1_000)).rate).toBe(1)
    expect(whole(argumentsSeen(calls))).toEqual([
      { name: 'city', calls: 200, distinct: 10 },
      { name: 'session', calls: 200, distinct: 200 },
    ])
  })

  it('is null without calls, and has no interval with one trace', () => {
    expect(whole(coverageOnHoldout([], exact, 10))).toEqual({ calls: 0, rate: null, interval: null })
  })
})

describe('calls in the log', () => {
  const messages = [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        { id: 'c2', type: 'function', function: { name: 'time', arguments: '{}' } },
        { id: 'c3', type: 'function', function: { name: 'weather', arguments: 'not JSON' } },
        { id: 'c4', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    { role: 'tool', tool_call_id: 'c2', content: 'noon' },
    { role: 'tool', tool_call_id: 'c3', content: 'error' },
    { role: 'assistant', content: 'Sunny.' },
  ]

  it('are those of the tool that have arguments and an answer, once for each run', () => {
    const known = new Set<string>()
    expect(observedCalls({ id: 'log_2', trace_id: 't1', messages }, 'weather', known)).toMatchObject([
      call('t1', { city: 'Rome' }, 'sunny'),
    ])
    expect(observedCalls({ id: 'log_1', trace_id: 't1', messages }, 'weather', known)).toEqual([])
    expect(observedCalls({ id: 'log_3', trace_id: 't2', messages }, 'weather', known)).toHaveLength(1)
  })

  it('have the texts of a message with parts', () => {
    const parts = [
      { type: 'text', text: 'sun' },
      { type: 'text', text: 'ny' },
    ]
    const ofParts = [messages[1], { role: 'tool', tool_call_id: 'c1', content: parts }]
    expect(observedCalls({ id: 'log_1', trace_id: null, messages: ofParts }, 'weather', new Set())).toMatchObject([
      call('log_1', { city: 'Rome' }, 'sunny'),
    ])
  })

  it('offer the definition of the tool', () => {
    const tools = [
      { type: 'function', function: { name: 'weather', description: 'd', parameters: { type: 'object' } } },
    ]
    expect(offeredTool(tools, 'weather')).toEqual({ description: 'd', parameters: { type: 'object' } })
    expect([offeredTool(tools, 'other'), offeredTool(null, 'weather')]).toEqual([null, null])
  })
})
