import { costNanoHeader, fleetIdentity } from '@ratchet/contracts/identity'
import fc from 'fast-check'
import { askModel } from './ask-model.ts'

const call = { identity: fleetIdentity, body: '{}', key: 'k' }

function answering(body: Buffer | string, headers = {}) {
  const answer = { status: 200, headers: { [costNanoHeader]: '5', ...headers }, body: Buffer.from(body) }
  return { send: async () => answer }
}

const nothing = { text: null, model: null, fingerprint: null, promptTokens: null, completionTokens: null }

it.each([
  ['nothing', ''],
  ['no JSON', '<html>'],
  ['a list', '[]'],
  ['null', 'null'],
  ['other members', '{"model":1,"system_fingerprint":{},"choices":{},"usage":[]}'],
  ['no choices', '{"choices":[]}'],
  ['choices of another kind', '{"choices":[null]}'],
  ['numbers that are no counts', '{"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}'],
])('takes %s for an answer without a message that was paid for', async (_case, body) => {
  expect(await askModel(answering(body), call)).toEqual({ ...nothing, costNano: 5n, isReplay: false })
})

it('reads names that can be stored', async () => {
  const body = JSON.stringify({ model: `a\0${'b'.repeat(300)}`, system_fingerprint: '\ud800', choices: [] })
  const { model, fingerprint } = await askModel(answering(body), call)
  expect(model).toBe(`a${'b'.repeat(199)}`)
  expect(fingerprint).toBe('\ufffd')
})

it('says of a replay that it is one', async () => {
  expect(await askModel(answering('{}', { 'idempotent-replay': 'true' }), call)).toMatchObject({ isReplay: true })
})

it('reads whatever a provider sends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), async (body) => {
      expect((await askModel(answering(body), call)).costNano).toBe(5n)
    }),
  )
})
