import type { Dialect } from '../../wire/dialect.ts'
import { readAnswerFacts } from './answer-facts.ts'

const upstreamModel = 'acme-1'
const facts = (dialect: Dialect, body: unknown) =>
  readAnswerFacts({ dialect, upstreamModel }, Buffer.from(JSON.stringify(body)))

it.each<[Dialect, object, readonly string[]]>([
  ['chat', { choices: [{ finish_reason: 'stop' }, { finish_reason: 'length' }] }, ['stop', 'length']],
  ['messages', { stop_reason: 'end_turn' }, ['end_turn']],
  ['responses', { status: 'completed' }, ['completed']],
  ['responses', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, ['max_output_tokens']],
  ['embeddings', { data: [] }, []],
])('reads the finish reason of an answer of %s', (dialect, body, finishReasons) => {
  expect(facts(dialect, { model: 'acme-1', ...body })).toEqual({ model: 'acme-1', finishReasons })
})

it.each<[Dialect, object, readonly string[]]>([
  ['chat', { choices: [{ finish_reason: 'sk-proj-abc123' }, null, { finish_reason: 7 }] }, ['other']],
  ['chat', { choices: [{ finish_reason: 'end_turn' }] }, ['other']],
  ['messages', { stop_reason: 'Berlin' }, ['other']],
  ['responses', { status: 'incomplete', incomplete_details: { reason: 'sk-ant-1' } }, ['other']],
  ['rerank', { finish_reason: 'sk-1' }, []],
])('does not repeat an unknown reason of %s', (dialect, body, finishReasons) => {
  expect(facts(dialect, body)).toEqual({ model: null, finishReasons })
})

it.each(['acme-1', 'acme-1-2026-08-06', 'acme-1-20260806', 'acme-1-0806', 'acme-1@001'])(
  'recognizes %s as the requested model',
  (model) => {
    expect(facts('embeddings', { model }).model).toBe(model)
  },
)

it.each([
  'sk-proj-abc123',
  'acme-1-sk-proj-abc123',
  'acme-1 Berlin',
  'acme-12',
  'acme-1-4111111111111111',
  'acme',
  '',
  7,
])('does not repeat %j, which may contain text of the answer', (model) => {
  expect(facts('chat', { model }).model).toBeNull()
})

it.each(['', '{', '[]', 'null', '"text"', '{"choices": 3}'])('returns nothing for %j', (text) => {
  expect(readAnswerFacts({ dialect: 'chat', upstreamModel }, Buffer.from(text))).toEqual({
    model: null,
    finishReasons: [],
  })
})
