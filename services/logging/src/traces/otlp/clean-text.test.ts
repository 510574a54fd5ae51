import { cleanText } from './clean-text.ts'

const secret = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`

describe('cleanText', () => {
  it.each([
    ['NUL', 'a\0b', 'ab'],
    ['half of a surrogate pair', 'a\ud800', 'a\ufffd'],
    ['a text that is too long', 'abcdefghijk', 'abcdefghij'],
    ['nothing', '', null],
    ['a number', 7, null],
  ])('makes a storable text of %s', (_name, value, expected) => {
    expect(cleanText(value, 10)).toBe(expected)
  })

  it('never leaves the first half of a secret', () => {
    expect(cleanText(`key ${secret}`, 30)).toBe('key [redacted]')
    expect(cleanText(`key ${secret}`, 8)).toBe('key [red')
  })
})
