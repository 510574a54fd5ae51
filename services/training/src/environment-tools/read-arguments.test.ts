import { describeMismatch, readArguments } from './read-arguments.ts'

describe('arguments as a model wrote them', () => {
  it.each([
    ['', {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":', 'The arguments are not JSON.'],
    ['[1]', 'The arguments are not a JSON object.'],
    ['null', 'The arguments are not a JSON object.'],
    [`{"a":"${'x'.repeat(16_384)}"}`, 'The arguments are longer than 16384 characters.'],
    [`{"a":${'['.repeat(30)}${']'.repeat(30)}}`, 'The arguments have more than 20 levels.'],
    [`{"a":[${'1,'.repeat(5_000)}1]}`, 'The arguments have more than 4000 values.'],
  ])('%.40s', (text, read) => {
    expect(readArguments(text)).toEqual(read)
  })
})

it.each([
  [{ path: '', problem: 'must have required property x' }, 'The arguments must have required property x.'],
  [{ path: '/pair/1', problem: 'must be >= 0' }, 'The argument pair/1 must be >= 0.'],
])('tells a model of %j: %s', (mismatch, words) => {
  expect(describeMismatch(mismatch)).toBe(words)
})
