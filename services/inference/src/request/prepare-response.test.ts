import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp } from '../app.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { createMemoryResponses } from '../stored-responses/memory-responses.ts'
import { createResponseRecorder } from '../stored-responses/response-recorder.ts'
import type { Provider, ProviderFailure } from '../wire/provider.ts'
import { responseIdOf } from '../wire/responses/response-id.ts'
import { testRequestId, testWorkspaceId } from './request-records.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/responses'
const earlierId = '00000000-0000-7000-8000-000000000002'

/** Continues a response of two items, at a provider that refuses the given field. */
async function refusal(param: string, input: unknown) {
  const ledger = createMemoryLedger()
  ledger.topUp(testWorkspaceId, 1_000_000_000n)
  const responses = createMemoryResponses()
  await responses.put({
    id: earlierId,
    workspaceId: testWorkspaceId,
    previousId: null,
    model: 'acme/fast',
    createdAt: testNow(),
    expiresAt: new Date(testNow().getTime() + 1_000),
    inputItems: JSON.stringify([{ type: 'message', role: 'user', content: 'one' }]),
    reply: JSON.stringify({ output: [{ type: 'message', role: 'assistant', content: 'done' }] }),
    itemIds: [],
    isUnlogged: false,
  })
  const message = `${param} is not supported.`
  const failure: ProviderFailure = {
    kind: 'refused',
    code: 'unsupported_parameter',
    param,
    message,
    retryAfterMs: null,
  }
  const provider: Provider = {
    dialects: new Set(['responses']),
    start(_request, { onFailure }) {
      setImmediate(() => onFailure(failure))
      return { abort() {}, pause() {}, resume() {} }
    },
  }
  const responseRecorder = createResponseRecorder({ store: responses, now: testNow })
  const app = createApp(testDeps(provider, { ledger, identityKeys: [key], responses, responseRecorder }))
  const bound = { audience: 'inference', requestId: testRequestId, method: 'POST', path }
  const caller = { workspaceId: testWorkspaceId, userId: testWorkspaceId, role: 'member' as const }
  const identity = signIdentity(key, bound, { ...caller, keyId: testWorkspaceId }, testNow().getTime())
  const { status, body } = await request(app)
    .post(path)
    .set({ [requestIdHeader]: testRequestId, [identityHeader]: identity })
    .send({ model: 'acme/fast', input, previous_response_id: responseIdOf(earlierId) })
  return { status, ...body.error }
}

const message = { role: 'user', content: [{ type: 'input_image', image_url: 'https://x.test/a.png' }] }

it.each([
  ['input.3.content.0.image_url', [message, message], 'input.1.content.0.image_url'],
  ['input.2.content.0.text', 'two', 'input'],
  ['temperature', 'two', 'temperature'],
])('names the refused field %s as the client wrote it', async (param, input, name) => {
  const error = { status: 400, code: 'unsupported_parameter', param: name, message: `${name} is not supported.` }
  expect(await refusal(param, input)).toMatchObject(error)
})

it('names `previous_response_id` when an item of an earlier response is refused', async () => {
  expect(await refusal('input.1.content', [message])).toMatchObject({
    status: 400,
    param: 'previous_response_id',
    message: 'In the responses before this one: input.1.content is not supported.',
  })
})
