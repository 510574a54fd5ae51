import { gzipSync } from 'node:zlib'
import { AzureOpenAI, OpenAI } from 'openai'
import { openaiFor, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'

const origin = 'https://app.example.com'

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet({ env: { CORS_ORIGINS: origin } })
}, 300_000)
afterAll(() => fleet?.stop())

const messages = [{ role: 'user' as const, content: 'Why is the sky blue?' }]

describe('the client of Azure', () => {
  const azure = () =>
    new AzureOpenAI({
      endpoint: fleet.url,
      apiKey: fleet.workspace.apiKey,
      apiVersion: '2024-10-21',
      deployment: 'sim/small',
      maxRetries: 0,
    })

  it('calls a deployment, which is a model here, plain and as a stream', async () => {
    const { data, response } = await azure().chat.completions.create({ model: 'ignored', messages }).withResponse()
    expect([data.object, response.headers.get('x-svc-served-model')]).toEqual(['chat.completion', 'sim/small'])
    const stream = await azure().chat.completions.create({ model: 'ignored', messages, stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe(data.choices[0]?.message.content)
  })

  it('works with the newer address, as OpenAI`s own client does', async () => {
    const { apiKey } = fleet.workspace
    const client = new OpenAI({ baseURL: `${fleet.url}/openai/v1`, apiKey, maxRetries: 0 })
    expect((await client.responses.create({ model: 'sim/small', input: 'hi' })).object).toBe('response')
  })
})

it('lists files to the client of OpenAI', async () => {
  const openai = openaiFor(fleet)
  const file = new File(['{"a":1}'], 'a.jsonl')
  const { id } = await openai.files.create({ file, purpose: 'fine-tune' })
  const found: string[] = []
  for await (const each of openai.files.list()) found.push(each.id)
  expect(found).toEqual([id])
})

it('answers a compressed body, and refuses one that is not UTF-8', async () => {
  const post = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${fleet.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'api-key': fleet.workspace.apiKey, 'content-type': 'application/json', ...headers },
      body,
    })
  const body = JSON.stringify({ model: 'sim/small', messages: [{ role: 'user', content: 'x'.repeat(50_000) }] })
  expect((await post(new Uint8Array(gzipSync(body)), { 'content-encoding': 'gzip' })).status).toBe(200)
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(50_000_000)))
  expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBe(413)
  expect((await post(new Uint8Array(Buffer.from(body.replace('xx', 'é'), 'latin1')))).status).toBe(400)
})

it('lets a page of the named origin call a model, and no other', async () => {
  const from = async (page: string) => {
    const asked = await fetch(`${fleet.url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: { origin: page, 'access-control-request-method': 'POST', 'access-control-request-headers': 'api-key' },
    })
    const answer = await postChat(fleet, { model: 'sim/small', headers: { origin: page } })
    return [asked, answer].map(({ status, headers }) => [status, headers.get('access-control-allow-origin')])
  }
  expect(await from(origin)).toEqual([
    [204, origin],
    [200, origin],
  ])
  expect(await from('https://other.example.com')).toEqual([
    [401, null],
    [200, null],
  ])
})

it('tells a client of Gemini in its own form that there is no such API', async () => {
  const answer = await fetch(`${fleet.url}/v1beta/cachedContents`, {
    method: 'POST',
    headers: { 'x-goog-api-key': fleet.workspace.apiKey, 'content-type': 'application/json' },
    body: '{}',
  })
  const { error } = (await answer.json()) as { error: Record<string, unknown> }
  expect([answer.status, error.code, error.status]).toEqual([404, 404, 'NOT_FOUND'])
})
