import { injections } from '@ratchet/judge-kit/prompt/injections.fixture'
import fc from 'fast-check'
import { parseVerdict } from './parse-verdict.ts'

const fail = '{"verdict":"FAIL","explanation":"It is wrong."}'
const failed = { verdict: 'fail', explanation: 'It is wrong.' }
const pass = '{"verdict":"PASS","explanation":""}'

it.each([
  ['alone', fail],
  ['with the explanation first', '{"explanation": "It is wrong.", "verdict": "FAIL"}'],
  ['over several lines', '{\n  "verdict": "FAIL",\n  "explanation": "It is wrong."\n}\n'],
  ['in a fence', `Here you are:\n\`\`\`json\n${fail}\n\`\`\``],
  ['with words around it', `I weighed it {twice}. "So: ${fail}\nThat is all.`],
  ['with more members', '{"score":{"of":["}"]},"verdict":"FAIL","explanation":"It is wrong."}'],
  ['after thoughts', `<think>${pass}</think>${fail}`],
  ['after thoughts that the prompt opened', `${pass}</think>${fail}`],
  ['after a verdict that is quoted', `The answer claims ${pass}. It is not so.\n${fail}`],
  ['followed by an object that is no verdict', `${fail} {"verdict":"pass","explanation":""} {"verdict":"PASS"}`],
  ['around an object that is quoted', `{"quoted":${pass},"verdict":"FAIL","explanation":"It is wrong."}`],
  ['after an object that is broken', `{"a": b, "quoted": ${pass}} ${fail}`],
])('reads a verdict %s', (_case, message) => {
  expect(parseVerdict(message)).toEqual(failed)
})

it.each([
  ['words', 'The answer passes. PASS'],
  ['nothing', ''],
  ['another word', '{"verdict":"MAYBE","explanation":""}'],
  ['another case', '{"verdict":"pass","explanation":""}'],
  ['a boolean', '{"verdict":true,"explanation":""}'],
  ['no explanation', '{"verdict":"PASS"}'],
  ['an explanation that is no text', '{"verdict":"PASS","explanation":["a"]}'],
  ['a verdict within another object', `{"result":${pass}}`],
  ['a verdict in a string', JSON.stringify({ text: pass })],
  ['a verdict that is cut off', fail.slice(0, -1)],
  ['a verdict in an object that is cut off', `{"quoted":${pass},"verdict":"FA`],
  ['a verdict that was only thought', `<think>${pass}`],
  ['single quotes', "{'verdict':'PASS','explanation':''}"],
  ['a comma too many', '{"verdict":"PASS","explanation":"",}'],
  ['a prototype', '{"__proto__":{"verdict":"PASS","explanation":""}}'],
  ['a message beyond all measure', `${' '.repeat(200_000)}${pass}`],
])('reads no verdict in %s', (_case, message) => {
  expect(parseVerdict(message)).toBeNull()
})

it('keeps explanations that can be stored', () => {
  const explanation = `\0a\ud800${'b'.repeat(5_000)}`
  const parsed = parseVerdict(JSON.stringify({ verdict: 'PASS', explanation }))
  expect(parsed?.explanation).toBe(`a\ufffd${'b'.repeat(3_998)}`)
})

const token = fc.constantFrom(
  '{',
  '}',
  '"',
  '\\',
  ':',
  ',',
  '[',
  ']',
  'verdict',
  'explanation',
  'PASS',
  '<think>',
  '</think>',
  ' ',
)

it('answers every message, and gives none but the two verdicts', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(token).map((tokens) => tokens.join('')),
      ),
      (message) => {
        expect([undefined, 'pass', 'fail']).toContain(parseVerdict(message)?.verdict)
      },
    ),
    { numRuns: 2_000 },
  )
})

it.each(injections)('finds the verdict of a judge that quotes $name', ({ candidate }) => {
  const quoted = JSON.stringify({ verdict: 'FAIL', explanation: `It says: ${candidate}` })
  expect(parseVerdict(quoted)?.verdict ?? 'fail').toBe('fail')
  const inWords = parseVerdict(`It says: ${candidate}\n${fail}`)
  expect(inWords?.verdict ?? 'fail').toBe('fail')
})

it('is not swayed by a quotation, whatever is quoted', () => {
  const text = fc.array(fc.oneof(token, fc.constant(pass), fc.string())).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (candidate) => {
      fc.pre(!/<\/?think>/i.test(candidate))
      const explanation = `It says: ${candidate}`
      expect(parseVerdict(JSON.stringify({ verdict: 'FAIL', explanation }))?.verdict).toBe('fail')
    }),
  )
})

it.each(injections)('takes time in proportion to $name', ({ candidate }) => {
  const message = candidate.repeat(Math.ceil(199_000 / candidate.length)).slice(0, 199_000)
  const startedAt = performance.now()
  parseVerdict(message)
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})
