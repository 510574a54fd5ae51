import type { EvalAssertion } from '@ratchet/contracts/evals'
import fc from 'fast-check'
import { assertionNames, checkAssertions, isSubset } from './check-assertions.ts'

const searched: EvalAssertion = { type: 'tool_called', value: 'search' }
const silent: EvalAssertion = { type: 'no_tool_call' }

type JsonObject = Extract<EvalAssertion, { type: 'args_match' }>['args']

function matching(args: JsonObject, value = 'search'): EvalAssertion {
  return { type: 'args_match', value, args }
}

function call(name: unknown, args: unknown = '{}') {
  return { id: 'call_1', type: 'function', function: { name, arguments: args } }
}

/** Whether a call with these arguments matches the expected ones. */
function matches(expected: JsonObject, text: unknown): boolean | undefined {
  return checkAssertions([matching(expected)], [call('search', text)])['args_match:search']
}

describe('assertionNames', () => {
  it('name the type and the tool', () => {
    expect(assertionNames([searched, silent, matching({})])).toEqual([
      'tool_called:search',
      'no_tool_call',
      'args_match:search',
    ])
  })

  it('are unique, whatever the tools are called', () => {
    expect(assertionNames([matching({ q: 1 }), matching({ q: 2 }), matching({ q: 3 })])).toEqual([
      'args_match:search',
      'args_match:search#2',
      'args_match:search#3',
    ])
    const value = fc.constantFrom('search', 'search#2', '__proto__')
    const assertion = fc.oneof(
      value.map((tool): EvalAssertion => ({ type: 'tool_called', value: tool })),
      value.map((tool) => matching({}, tool)),
      fc.constant(silent),
    )
    fc.assert(
      fc.property(fc.array(assertion, { maxLength: 10 }), (assertions) => {
        const names = assertionNames(assertions)
        expect(names).toHaveLength(assertions.length)
        expect(new Set(names).size).toBe(assertions.length)
        expect(Object.keys(checkAssertions(assertions, null))).toEqual(names)
      }),
    )
  })
})

describe('checkAssertions', () => {
  it.each([
    ['no calls', null, false, true],
    ['an empty list', [], false, true],
    ['another tool', [call('fetch')], false, false],
    ['the tool', [call('search')], true, false],
    ['the tool among others', [call('fetch'), call('search')], true, false],
    ['the tool with arguments that cannot be read', [call('search', '{')], true, false],
    ['the name in capitals', [call('Search')], false, false],
  ])('with %s', (_, calls, isCalled, isSilent) => {
    expect(checkAssertions([searched, silent], calls)).toEqual({
      'tool_called:search': isCalled,
      no_tool_call: isSilent,
    })
  })

  it.each<[JsonObject, unknown, boolean]>([
    [{}, '{}', true],
    [{ q: 'x' }, '{"q":"x","limit":3}', true],
    [{ q: 'x' }, '{"q":"y"}', false],
    [{ q: 'x' }, '{"limit":3}', false],
    [{ q: null }, '{}', false],
    [{ q: null }, '{"q":null}', true],
    [{ limit: 3 }, '{"limit":3.0}', true],
    [{ limit: 3 }, '{"limit":"3"}', false],
    [{ where: { city: 'Bern' } }, '{"where":{"city":"Bern","zip":3000}}', true],
    [{ where: { city: 'Bern' } }, '{"where":{"city":"Basel"}}', false],
    [{ where: { city: 'Bern' } }, '{"where":["Bern"]}', false],
    [{ where: { city: 'Bern' } }, '{"where":null}', false],
    [{ where: {} }, '{"where":[]}', false],
    [{ tags: ['a', 'b'] }, '{"tags":["a","b"]}', true],
    [{ tags: ['a', 'b'] }, '{"tags":["b","a"]}', false],
    [{ tags: ['a'] }, '{"tags":["a","b"]}', false],
    [{ tags: [{ a: 1 }] }, '{"tags":[{"a":1}]}', true],
    [{ tags: [{ a: 1 }] }, '{"tags":[{"a":1,"b":2}]}', false],
    [{ tags: [{ a: 1, b: 2 }] }, '{"tags":[{"b":2,"a":1}]}', true],
    [{ tags: [{ a: 1, b: 2 }] }, '{"tags":[{"a":1,"c":2}]}', false],
    [{ tags: [] }, '{"tags":{}}', false],
    [{ toString: 'x' }, '{}', false],
    [{ constructor: {} }, '{}', false],
    [JSON.parse('{"__proto__":{}}'), '{}', false],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1,"b":2}}', true],
    [{}, '[]', false],
    [{}, '"text"', false],
    [{}, 'null', false],
    [{}, '', false],
    [{}, '{"q":', false],
    [{}, { q: 'x' }, false],
    [{}, null, false],
  ])('expects %j of %j: %p', (expected, text, holds) => {
    expect(matches(expected, text)).toBe(holds)
  })

  it('checks every call of the tool, and no other', () => {
    const calls = [call('search', '{"q":"y"}'), call('search', '{"q":"x"}'), call('fetch', '{"q":"z"}')]
    const assertions = [matching({ q: 'x' }), matching({ q: 'z' }), matching({}, 'read')]
    expect(checkAssertions(assertions, calls)).toEqual({
      'args_match:search': true,
      'args_match:search#2': false,
      'args_match:read': false,
    })
  })

  it('accepts tool calls of any shape', () => {
    const assertions = [searched, silent, matching({ q: { deep: ['x'] } })]
    const odd = [
      null,
      3,
      'search',
      [],
      {},
      { function: null },
      { function: 'search' },
      { function: { name: {} } },
      { function: { name: 'search' } },
    ]
    const nested = '['.repeat(50_000) + ']'.repeat(50_000)
    const deep = [call('search', `{"q":{"deep":${nested}}}`), call('search', nested)]
    expect(checkAssertions(assertions, [...odd, call('fetch')])).toEqual({
      'tool_called:search': true,
      no_tool_call: false,
      'args_match:search': false,
    })
    expect(checkAssertions(assertions, deep)['args_match:search']).toBe(false)
    fc.assert(
      fc.property(fc.array(fc.anything({ withNullPrototype: true })), (calls) => {
        const result = checkAssertions(assertions, calls)
        expect(result).toEqual({
          'tool_called:search': false,
          no_tool_call: calls.length === 0,
          'args_match:search': false,
        })
      }),
    )
  })
})

describe('isSubset', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue())

  it('is true for a value and itself, and for a value with more members', () => {
    fc.assert(
      fc.property(json, json, (one, more) => {
        expect(isSubset(one, one)).toBe(true)
        expect(isSubset(one, JSON.parse(JSON.stringify({ ...more, ...one })))).toBe(true)
      }),
    )
  })
})
