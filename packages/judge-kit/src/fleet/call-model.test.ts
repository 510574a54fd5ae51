import { costNanoHeader, fleetIdentity, latencyMsHeader } from '@ratchet/contracts/identity'
import fc from 'fast-check'
import { callModel } from './call-model.ts'

const call = { identity: fleetIdentity, body: '{}', key: 'k' }

function answering(body: Buffer | string, headers = {}) {
  const answer = { status: 200, headers: { [costNanoHeader]: '5', ...headers }, body: Buffer.from(body) }
  return { send: async () => answer }
}

const noMessage = { text: null, message: null, finishReason: null, latencyMs: null }
const nothing = { ...noMessage, model: null, fingerprint: null, promptTokens: null, completionTokens: null }

it.each([
  ['nothing', ''],
  ['no JSON', '<html>'],
  ['a list', '[]'],
  ['null', 'null'],
  ['other members', '{"model":1,"system_fingerprint":{},"choices":{},"usage":[]}'],
  ['no choices', '{"choices":[]}'],
  ['choices of another kind', '{"choices":[null]}'],
  ['numbers that are no counts', '{"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}'],
])('reads %s as a charged answer without a message', async (_case, body) => {
  expect(await callModel(answering(body), call)).toEqual({ ...nothing, costNano: 5n, isReplay: false })
})

it('makes names storable', async () => {
  const body = JSON.stringify({ model: `a\0${'b'.repeat(300)}`, system_fingerprint: '\ud800', choices: [] })
  const { model, fingerprint } = await callModel(answering(body), call)
  expect(model).toBe(`a${'b'.repeat(199)}`)
  expect(fingerprint).toBe('\ufffd')
})

const calls = [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{}' } }]

it.each([
  ['words', { role: 'assistant', content: 'Yes.', refusal: null }, 'stop', 'Yes.'],
  ['calls of tools', { role: 'assistant', content: null, tool_calls: calls }, 'tool_calls', null],
  ['words and calls', { role: 'assistant', content: 'Let me see.', tool_calls: calls }, 'tool_calls', 'Let me see.'],
  ['parts', { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }, 'stop', null],
  ['a beginning', { role: 'assistant', content: 'Ye' }, 'length', null],
])('reads a message with %s, and its text if there is one', async (_case, message, finishReason, text) => {
  const other = { index: 1, finish_reason: 'stop', message: { role: 'assistant', content: 'No.' } }
  const body = JSON.stringify({ choices: [{ index: 0, finish_reason: finishReason, message }, other] })
  expect(await callModel(answering(body), call)).toMatchObject({ message, finishReason, text })
})

it.each([
  ['1234', 1_234],
  ['0', 0],
  ['12.5', 12.5],
  ['-1', null],
  ['soon', null],
  ['', null],
])('reads the latency %j as %s ms', async (header, latencyMs) => {
  expect(await callModel(answering('{}', { [latencyMsHeader]: header }), call)).toMatchObject({ latencyMs })
})

it('marks a replay', async () => {
  expect(await callModel(answering('{}', { 'idempotent-replay': 'true' }), call)).toMatchObject({ isReplay: true })
})

it('accepts any answer of a provider', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (body) => {
      expect((await callModel(answering(body), call)).costNano).toBe(5n)
    }),
  )
})
