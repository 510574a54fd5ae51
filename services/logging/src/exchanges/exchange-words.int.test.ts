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

it('reads the first 50,000 characters of each side, also of many distinct words', async () => {
  const numbered = (letter: string) => Array.from({ length: 12_000 }, (_, index) => `${letter}${index}`).join(' ')
  const [messages, response] = [numbered('🎉m'), numbered('r')]
  const ours = sortedWords(exchangeWords(workspaceId, messages, response))
  expect(ours.length).toBeGreaterThan(10_000)
  expect(ours).toEqual(await wordsInDatabase(messages, response))
})
