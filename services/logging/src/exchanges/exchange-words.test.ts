import { fastestCpuMs } from '@ratchet/testing/cpu-time'
import { exchangeWords } from './exchange-words.ts'

const workspaceId = '0199aa3b-7c1d-7e2f-8a4b-123456789abc'

it('has each word once, in any case', () => {
  expect(exchangeWords(workspaceId, 'Tea tea TEA', 'tea and tea')).toHaveLength(2)
})

it('differs between workspaces', () => {
  const [one, other] = [workspaceId, crypto.randomUUID()].map((id) => exchangeWords(id, 'tea', ''))
  expect(one).not.toEqual(other)
})

it('remembers words of earlier exchanges only within their workspace', () => {
  const other = crypto.randomUUID()
  const first = exchangeWords(workspaceId, 'tea and a cup of tea', '')
  expect(exchangeWords(other, 'tea and a cup of tea', '')).not.toEqual(first)
  expect(exchangeWords(workspaceId, 'tea and a cup of tea', '')).toEqual(first)
})

it('finds the same words after more words than it remembers', () => {
  const many = (letter: string) => Array.from({ length: 12_000 }, (_, index) => `${letter}${index}`).join(' ')
  const first = exchangeWords(workspaceId, many('a'), many('b'))
  expect(new Set(first).size).toBe(8_000)
  exchangeWords(workspaceId, many('c'), many('d'))
  expect(exchangeWords(workspaceId, many('a'), many('b'))).toEqual(first)
})

it('tells a short word from a long one, and letters from those that become the same', () => {
  const count = (text: string) => exchangeWords(workspaceId, text, '').length
  expect(count('abcdefghijk abcdefghijkl ABCDEFGHIJK abcdefghijkL')).toBe(2)
  expect(count('kelvin \u212aelvin')).toBe(1)
  expect(count('don’t don t')).toBe(2)
})

it.each(['a1@', 'a_', '~/', '/.', '&!=', 'secret_token_key_password_', '<a href="', '\\n', 'a', '中', '🎉'])(
  'reads the words of a text full of %j as fast as of any other',
  (run) => {
    const text = run.repeat(50_000 / run.length)
    // About 1 ms.
    expect(fastestCpuMs(3, () => exchangeWords(workspaceId, text, text))).toBeLessThan(50)
  },
)
