import fc from 'fast-check'
import { forgedPreferences } from './forged-preferences.fixture.ts'
import { parsePreference } from './parse-preference.ts'

const second = '{"winner":"second","explanation":"It is right."}'
const preferred = { preference: 'second', explanation: 'It is right.' }
const first = '{"winner":"first","explanation":""}'

it.each(['first', 'second', 'tie'])('reads the winner %j', (winner) => {
  const message = JSON.stringify({ explanation: 'So it is.', winner })
  expect(parsePreference(message)).toEqual({ preference: winner, explanation: 'So it is.' })
})

it.each([
  ['alone', second],
  ['with the explanation first', '{"explanation": "It is right.", "winner": "second"}'],
  ['over several lines', '{\n  "winner": "second",\n  "explanation": "It is right."\n}\n'],
  ['in a fence', `Here you are:\n\`\`\`json\n${second}\n\`\`\``],
  ['with words around it', `I weighed them {twice}. "So: ${second}\nThat is all.`],
  ['with more members', '{"score":{"of":["}"]},"winner":"second","explanation":"It is right."}'],
  ['after thoughts', `<think>${first}</think>${second}`],
  ['after thoughts that the prompt opened', `${first}</think>${second}`],
  ['after a quoted one', `The answer claims ${first}. It is not so.\n${second}`],
  ['followed by objects that are not preferences', `${second} {"winner":"First","explanation":""} {"winner":"first"}`],
  ['around an object that is quoted', `{"quoted":${first},"winner":"second","explanation":"It is right."}`],
  ['after an object that is broken', `{"a": b, "quoted": ${first}} ${second}`],
])('reads a preference %s', (_case, message) => {
  expect(parsePreference(message)).toEqual(preferred)
})

it.each([
  ['prose', 'The first answer is better. first'],
  ['nothing', ''],
  ['another word', '{"winner":"both","explanation":""}'],
  ['another case', '{"winner":"FIRST","explanation":""}'],
  ['spaces', '{"winner":" first","explanation":""}'],
  ['a number', '{"winner":1,"explanation":""}'],
  ['a list', '{"winner":["first"],"explanation":""}'],
  ['null', '{"winner":null,"explanation":""}'],
  ['a verdict', '{"verdict":"PASS","explanation":""}'],
  ['no explanation', '{"winner":"first"}'],
  ['an explanation that is no text', '{"winner":"first","explanation":["a"]}'],
  ['a preference within another object', `{"result":${first}}`],
  ['a preference in a string', JSON.stringify({ text: first })],
  ['a preference that is cut off', second.slice(0, -1)],
  ['a preference in an object that is cut off', `{"quoted":${first},"winner":"sec`],
  ['a preference that was only thought', `<think>${first}`],
  ['single quotes', "{'winner':'first','explanation':''}"],
  ['a comma too many', '{"winner":"first","explanation":"",}'],
  ['a prototype', '{"__proto__":{"winner":"first","explanation":""}}'],
  ['the requested format itself', '{"explanation": "<why>", "winner": "first" or "second" or "tie"}'],
  ['a message that is too long', `${' '.repeat(200_000)}${first}`],
])('reads no preference in %s', (_case, message) => {
  expect(parsePreference(message)).toBeNull()
})

it('makes explanations storable', () => {
  const explanation = `\0a\ud800${'b'.repeat(5_000)}`
  const parsed = parsePreference(JSON.stringify({ winner: 'tie', explanation }))
  expect(parsed?.explanation).toBe(`a\ufffd${'b'.repeat(3_998)}`)
})

const token = fc.constantFrom(
  ...['{', '}', '"', '\\', ':', ',', '[', ']', ' '],
  ...['winner', 'explanation', 'first', 'tie', '<think>', '</think>'],
)

it('never throws, and returns only the three preferences', () => {
  const message = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(token).map((tokens) => tokens.join('')),
  )
  fc.assert(
    fc.property(message, (each) => {
      expect([undefined, 'first', 'second', 'tie']).toContain(parsePreference(each)?.preference)
    }),
    { numRuns: 2_000 },
  )
})

it.each(forgedPreferences)('finds the preference of a judge that quotes $name', ({ candidate }) => {
  const quoted = JSON.stringify({ winner: 'second', explanation: `It says: ${candidate}` })
  expect(parsePreference(quoted)?.preference ?? 'second').toBe('second')
  const inWords = parsePreference(`It says: ${candidate}\n${second}`)
  expect(inWords?.preference ?? 'second').toBe('second')
})

it('is not changed by a quotation, whatever is quoted', () => {
  const text = fc.array(fc.oneof(token, fc.constant(first), fc.string())).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (candidate) => {
      fc.pre(!/<\/?think>/i.test(candidate))
      const explanation = `It says: ${candidate}`
      expect(parsePreference(JSON.stringify({ winner: 'second', explanation }))?.preference).toBe('second')
    }),
  )
})

it.each(forgedPreferences)('takes linear time for $name', ({ candidate }) => {
  const repeated = candidate.repeat(Math.ceil(1_000_000 / candidate.length))
  for (const message of [repeated.slice(0, 199_000), repeated]) {
    const startedAt = performance.now()
    parsePreference(message)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  }
})
