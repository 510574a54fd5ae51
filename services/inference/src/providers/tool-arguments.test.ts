import { readToolArguments } from './tool-arguments.ts'

it.each([undefined, null, '', ' \n'])('takes %j for no arguments', (value) => {
  expect(readToolArguments(value, 'arguments')).toEqual({})
})

it('preserves all digits of a number', () => {
  const text = '{"id":12345678901234567890}'
  expect(JSON.stringify(readToolArguments(text, 'arguments'))).toBe(text)
})

it.each([1, '[]', '"text"', '{"a":'])('refuses %j', expectRefusal)

it('refuses a text that is nested deeper than any model writes', () => {
  expectRefusal(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`)
})

function expectRefusal(value: unknown): void {
  expect(() => readToolArguments(value, 'arguments')).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'arguments' }),
  )
}
