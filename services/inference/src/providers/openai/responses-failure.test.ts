import { responsesRequest } from '../../wire/responses/request.fixture.ts'
import { responsesFailure } from './responses-failure.ts'

/** The failure for an error of OpenAI and a request with this input. */
function failureOf(status: number, error: object, input: unknown = 'hi') {
  const body = Buffer.from(JSON.stringify({ error: { type: 'invalid_request_error', code: null, ...error } }))
  return responsesFailure(responsesRequest({ input }), { status, headers: {}, body })
}

const lost =
  "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."

it('reports an item that the provider cannot find as a fault of the request', () => {
  const failure = failureOf(404, { message: lost, param: 'input' })
  expect(failure).toMatchObject({ kind: 'refused', param: 'input', message: expect.stringContaining('rs_1') })
  expect(failure.message).not.toMatch(/`store`/)
})

it('reports a model that the provider cannot find as misconfigured', () => {
  const error = { message: 'The model `fast` does not exist.', code: 'model_not_found' }
  expect(failureOf(404, error)).toMatchObject({ kind: 'misconfigured' })
  expect(failureOf(503, { message: lost })).toMatchObject({ kind: 'unavailable' })
})

it('counts items as the request has them, even when some were not sent', () => {
  const input = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { role: 'user', content: [{ type: 'input_image', image_url: 'x' }] },
  ]
  const error = { message: "Invalid 'input[0].content[0].image_url'.", param: 'input[0].content[0].image_url' }
  expect(failureOf(400, error, input)).toMatchObject({
    kind: 'refused',
    message: "Invalid 'input[1].content[0].image_url'.",
    param: 'input[1].content[0].image_url',
  })
  expect(failureOf(400, error, input.slice(1))).toMatchObject({ kind: 'refused', ...error })
})
