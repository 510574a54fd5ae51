import { modelOf } from '../../domain/catalog.fixture.ts'
import { responsesRequest } from '../../surfaces/responses/request.fixture.ts'
import { convertRequest } from './convert-request.ts'

const reasoning = modelOf({ capabilities: ['chat', 'streaming', 'responses', 'reasoning'] })

function sent(change: object, model = modelOf()) {
  return JSON.parse(String(convertRequest(responsesRequest({ ...change }, model))))
}

it('sends a response`s body without what is ours, and has nothing stored', () => {
  const ours = { models: ['a', 'b'], previous_response_id: 'resp_1', store: true }
  expect(sent({ ...ours, stream: true, seed: 1.5 })).toEqual({
    model: 'fast',
    input: 'hi',
    store: false,
    stream: true,
    seed: 1.5,
  })
})

it.each<[string, object, unknown]>([
  ['when it may be gone on from', {}, ['reasoning.encrypted_content']],
  ['beside what the client includes', { include: ['a'] }, ['a', 'reasoning.encrypted_content']],
  ['once', { include: ['reasoning.encrypted_content'] }, ['reasoning.encrypted_content']],
  ['not when nothing is stored', { store: false }, undefined],
])('includes encrypted reasoning of a reasoning model %s', (_name, change, include) => {
  expect(sent(change, reasoning).include).toEqual(include)
  expect(sent({}).include).toBeUndefined()
})
