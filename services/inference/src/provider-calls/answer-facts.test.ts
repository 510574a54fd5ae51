import type { Dialect } from '../domain/dialect.ts'
import { readAnswerFacts } from './answer-facts.ts'

const facts = (dialect: Dialect, body: unknown) => readAnswerFacts(dialect, Buffer.from(JSON.stringify(body)))

it.each<[Dialect, object, readonly string[]]>([
  ['chat', { choices: [{ finish_reason: 'stop' }, { finish_reason: 'length' }] }, ['stop', 'length']],
  ['messages', { stop_reason: 'end_turn' }, ['end_turn']],
  ['responses', { status: 'completed' }, ['completed']],
  ['responses', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, ['max_output_tokens']],
  ['embeddings', { data: [] }, []],
])('reads why an answer of %s ended', (dialect, body, finishReasons) => {
  expect(facts(dialect, { model: 'acme-1', ...body })).toEqual({ model: 'acme-1', finishReasons })
})

it('repeats nothing that does not look like a name, for it may be what was said', () => {
  const said = {
    model: 'As you asked: secret',
    choices: [{ finish_reason: 'my key is sk 1' }, null, { finish_reason: 7 }],
  }
  expect(facts('chat', said)).toEqual({ model: null, finishReasons: [] })
})

it.each(['', '{', '[]', 'null', '"text"', '{"choices": 3}'])('finds nothing in %j', (text) => {
  expect(readAnswerFacts('chat', Buffer.from(text))).toEqual({ model: null, finishReasons: [] })
})
