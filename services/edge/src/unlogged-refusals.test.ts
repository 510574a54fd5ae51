import { inferenceSurfaces } from '@ratchet/contracts/inference-surfaces'
import request from 'supertest'
import { startTestEdge, type TestEdge, unknownKey } from './edge.fixture.ts'

let edge: TestEdge
let url: string

/** No service runs behind this edge, so it answers everything itself. */
beforeAll(async () => {
  edge = await startTestEdge()
  url = `http://127.0.0.1:${edge.port}`
})
afterAll(() => edge.stop())

const stateOf = async (sending: request.Test) => {
  const { status, headers } = await sending
  return [status, headers['x-svc-logged']]
}

describe.each(inferenceSurfaces.map(({ path }) => path))('a refusal of the edge at %s', (path) => {
  it('says that the exchange is not logged', async () => {
    const key = edge.mint()
    expect(await stateOf(request(url).post(path).send({}))).toEqual([401, 'off; error'])
    expect(await stateOf(request(url).get(path).set('api-key', key))).toEqual([405, 'off; error'])
    expect(await stateOf(request(url).post(path).set('api-key', key).send({}))).toEqual([503, 'off; error'])
    const large = request(url).post(path).set({ 'api-key': key, 'content-type': 'application/json' })
    expect(await stateOf(large.send('a'.repeat(11 * 1024 * 1024)))).toEqual([413, 'off; error'])
  })
})

it('says so to clients of Azure, and where a request is ambiguous', async () => {
  expect(await stateOf(request(url).post('/openai/deployments/a/chat/completions').send({}))).toEqual([
    401,
    'off; error',
  ])
  const zipped = request(url).post('/v1/messages').set({ 'api-key': edge.mint(), 'content-encoding': 'zstd' })
  expect(await stateOf(zipped.send('{}'))).toEqual([415, 'off; error'])
})

it('says so to an address that tried too many keys', async () => {
  const limited = await startTestEdge()
  try {
    const post = () => {
      const sending = request(`http://127.0.0.1:${limited.port}`).post('/v1/chat/completions')
      return sending.set('api-key', unknownKey()).send({})
    }
    for (let sent = 0; sent < 50; sent++) await post()
    expect(await stateOf(post())).toEqual([429, 'off; error'])
  } finally {
    await limited.stop()
  }
})

it('says nothing of it elsewhere', async () => {
  expect(await stateOf(request(url).get('/v1/models'))).toEqual([401, undefined])
})
