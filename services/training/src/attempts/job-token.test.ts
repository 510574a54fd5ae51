import { createJobTokens } from './job-token.ts'

const keyOf = (byte: number) => new Uint8Array(32).fill(byte)
const tokens = createJobTokens([keyOf(1)])
const attempt = { jobId: '019aa5f0-8a07-7000-8000-000000000001', generation: 3 }

it('names the attempt that it was issued to', () => {
  expect(tokens.verify(tokens.issue(attempt))).toEqual(attempt)
})

it('refuses a token of another attempt, of another key, and anything else', () => {
  const token = tokens.issue(attempt)
  const forged = [
    token.replace('.3.', '.4.'),
    token.replace('0001.', '0002.'),
    `${token}0`,
    token.toUpperCase(),
    createJobTokens([keyOf(2)]).issue(attempt),
    '',
    'rtj1',
  ]
  for (const each of forged) expect(tokens.verify(each)).toBeNull()
})

it('accepts tokens of an older key', () => {
  expect(createJobTokens([keyOf(2), keyOf(1)]).verify(tokens.issue(attempt))).toEqual(attempt)
})
