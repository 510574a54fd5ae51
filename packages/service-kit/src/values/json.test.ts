import { asList, asObject, asText, isAbsent, isObject, parseJson } from './json.ts'

it('parses JSON, and returns undefined for any other text', () => {
  expect(['null', '{"a":1}', '"a"', '', '{', 'undefined'].map(parseJson)).toEqual([
    null,
    { a: 1 },
    'a',
    undefined,
    undefined,
    undefined,
  ])
})

it('distinguishes objects, lists, texts and absent values', () => {
  const values = [{}, [], 'a', null, undefined, 1]
  expect(values.filter(isObject)).toEqual([{}])
  expect(values.map(asObject)).toEqual([{}, null, null, null, null, null])
  expect(values.map((value) => asList(value === values[1] ? [1] : value))).toEqual([[], [1], [], [], [], []])
  expect(values.map(asText)).toEqual([null, null, 'a', null, null, null])
  expect(values.map(isAbsent)).toEqual([false, false, false, true, true, false])
})
