import { extraEndpoints } from '../edge.fixture.ts'
import { createEndpointIndex } from './endpoint-index.ts'
import { refuseGemini, unknownUrl } from './unknown-url.ts'

const index = createEndpointIndex(extraEndpoints)

it.each([
  ['/v1', 'This is the base URL of the API.'],
  ['/v1/', 'This is the base URL of the API.'],
  ['/chat/completions', 'No such URL. There is /v1/chat/completions.'],
  ['/v1/v1/chat/completions', 'No such URL. There is /v1/chat/completions.'],
  ['/v1/chat/completions/', 'No such URL. There is /v1/chat/completions.'],
  ['/v1/nothing', 'No such URL.'],
])('says of %s what was probably meant', (path, begin) => {
  const { code, message } = unknownUrl(index, path)
  expect([code, message.slice(0, begin.length)]).toEqual(['unknown_url', begin])
})

it('says that there is no API of Gemini, before a key is looked at', () => {
  expect(() => refuseGemini('/v1beta/files/a')).toThrow('Of Gemini')
  expect(() => refuseGemini('/v1beta/models/sim/small:generateContent')).not.toThrow()
  expect(() => refuseGemini('/v1/models')).not.toThrow()
})
