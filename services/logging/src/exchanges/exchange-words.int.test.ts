import fc from 'fast-check'
import { exchangeWords, textWords } from './exchange-words.ts'
import { type LogDatabase, logDatabase } from './log-database.fixture.ts'

let database: LogDatabase
beforeAll(async () => {
  database = await logDatabase()
})
afterAll(() => database.drop())

const workspaceId = '0199aa3b-7c1d-7e2f-8a4b-123456789abc'
const sortedWords = (words: Iterable<bigint>) => Array.from(words, String).toSorted()

/** What the database's own functions return; rows that were stored before have those. */
async function wordsInDatabase(...texts: readonly string[]): Promise<readonly string[]> {
  const parameters = texts.map((_, index) => `, $${index + 2}::text`).join('')
  const text = `SELECT exchange_words($1::uuid${parameters})::text[] AS words`
  const { rows } = await database.operator.query(text, [workspaceId, ...texts])
  return rows[0].words.toSorted()
}

it.each<[string, string]>([
  ['nothing', ''],
  ['no words', ' .,;-_ "" \\n'],
  ['words', 'The quick brown fox; the QUICK, brown fox! 42 1a2b'],
  ['escapes', 'one\\ntwo\\tthree\\rfour\\\\nfive\\"six\\u00e9seven\\bnine\\'],
  [
    'words of 11 to 25 letters',
    Array.from({ length: 15 }, (_, extra) => 'abcdefghijk'.repeat(3).slice(0, 11 + extra)).join(' '),
  ],
  ['accents and ligatures', 'Café ÉCOLE naïve straße ẞ ﬁn Ǆ ŉ'],
  ['a sigma at the end of a word', 'ΟΔΟΣ ὈΔΥΣΣΕΎΣ'],
  ['a Turkish İ', 'İSTANBUL ısparta I'],
  ['Chinese, Thai and Hindi', '今天的会议讨论了三个问题：预算。 ภาษาไทย हिन्दी'],
  ['letters beyond U+FFFF', '𝒳y 𐐀𐐨 𠮷野家 🎉party🎉'],
  ['digits of other scripts', '٣ ३ ³ Ⅷ ½ x٣y'],
])('equals the function of the database: %s', async (_name, text) => {
  expect(sortedWords(textWords(workspaceId, text))).toEqual(await wordsInDatabase(text))
})

// Not for every character: those that are newer than one of the two Unicode versions may be letters for one only.
it('equals the function of the database for any text', async () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string(),
    fc.constantFrom('\\n', '\\', ' ', 'Ab', 'é', '中'),
  )
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join('').replaceAll('\0', '').toWellFormed())
  await fc.assert(
    fc.asyncProperty(text, text, async (messages, response) => {
      const ours = sortedWords(exchangeWords(workspaceId, messages, response))
      expect(ours).toEqual(await wordsInDatabase(messages, response))
    }),
    { numRuns: 300 },
  )
})

const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}${index}`).join(' ')

it('reads the first 50,000 characters of each side', async () => {
  const [messages, response] = [`${numbered('🎉m', 2_000)} `.repeat(5), `${numbered('r', 2_000)} `.repeat(5)]
  const [last, hidden] = ['lastword', 'hiddenword']
  const cut = `${messages.slice(0, 49_000)} ${last} ${'x '.repeat(30_000)}${hidden}`
  const ours = sortedWords(exchangeWords(workspaceId, cut, response))
  expect(ours).toEqual(await wordsInDatabase(cut, response))
  expect(ours).toContain(String(textWords(workspaceId, last)[0]))
  expect(ours).not.toContain(String(textWords(workspaceId, hidden)[0]))
})

it('keeps 8,000 distinct words: the first of the request, and the first of the answer', () => {
  const wordsOf = (messages: string, response: string) => new Set(exchangeWords(workspaceId, messages, response))
  const has = (found: ReadonlySet<bigint>, text: string) =>
    [...textWords(workspaceId, text)].every((each) => found.has(each))
  const both = wordsOf(numbered('q', 9_000), numbered('a', 9_000))
  expect([both.size, has(both, 'q4999 a2999'), has(both, 'q5000'), has(both, 'a3000')]).toEqual([
    8_000,
    true,
    false,
    false,
  ])
  const long = wordsOf(numbered('q', 9_000), 'brief answer')
  expect([long.size, has(long, 'q7997 brief answer')]).toEqual([8_000, true])
  const answer = wordsOf('brief question', numbered('a', 9_000))
  expect([answer.size, has(answer, 'brief question a7997')]).toEqual([8_000, true])
})
