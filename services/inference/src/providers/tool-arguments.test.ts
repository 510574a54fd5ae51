import { readToolArguments } from './tool-arguments.ts'

it.each([undefined, null, '', ' \n'])('takes %j for no arguments', (value) => {
  expect(readToolArguments(value, 'arguments')).toEqual({})
})

it('preserves all digits of a number', () => {
  const text = '{"id":12345678901234567890}'
  expect(JSON.stringify(readToolArguments(text, 'arguments'))).toBe(text)
})

it('refuses arguments that are no text', () => {
  expect(() => readToolArguments(1, 'arguments')).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'arguments' }),
  )
})

it.each(['[]', '"text"', '{"a": ', 'look at the sky', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`])(
  'passes on what a model wrote instead of an object: %.20s',
  (text) => {
    expect(readToolArguments(text, 'arguments')).toEqual({ malformed_arguments: text })
  },
)
