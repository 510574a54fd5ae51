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

it.each(['a1@', 'a_', '~/', '/.', '&!=', 'secret_token_key_password_', '<a href="', '\\n', 'a', '中', '🎉'])(
  'reads the words of a text full of %j as fast as of any other',
  (run) => {
    const text = run.repeat(50_000 / run.length)
    // About 1 ms.
    expect(fastestCpuMs(3, () => exchangeWords(workspaceId, text, text))).toBeLessThan(50)
  },
)
