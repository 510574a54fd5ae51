import { countTokens, firstTokens, tokensOf } from './tokenize.ts'

const texts = [
  '',
  'a',
  'four',
  'five5',
  'naïve café — ok',
  '日本語のテキスト',
  'abc😀def😀',
  '😀😀😀😀😀',
  'line\nbreak\r\n',
]

describe('tokenize', () => {
  it.each(texts)('splits %j into pieces that join to the text and agree with the count', (text) => {
    const tokens = [...tokensOf(text)]
    expect(tokens.join('')).toBe(text)
    expect(countTokens(text)).toBe(tokens.length)
    expect(tokens.every((token) => token.length <= 5)).toBe(true)
  })

  it('never splits a surrogate pair', () => {
    expect([...tokensOf('abc😀def')]).toEqual(['abc😀', 'def'])
  })

  it.each(texts)('takes a prefix of %j whose tokens are the first tokens', (text) => {
    const tokens = [...tokensOf(text)]
    for (let limit = 0; limit <= tokens.length + 1; limit += 1) {
      expect([...tokensOf(firstTokens(text, limit))]).toEqual(tokens.slice(0, limit))
    }
  })
})
