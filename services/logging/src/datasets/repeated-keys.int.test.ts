import { randomUUID } from 'node:crypto'
import { type DatasetApp, startDatasetApp } from './dataset-app.fixture.ts'

let app: DatasetApp
beforeAll(async () => {
  app = await startDatasetApp()
})
afterAll(() => app?.stop())

const examples = [
  {
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
    ],
  },
]

async function post(path: string, body: object | FormData, key: string) {
  const answer = await app.send('POST', path, body, app.workspaceId, { 'idempotency-key': key })
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
  const json = (await answer.json()) as any
  return { status: answer.status, replay: answer.headers.get('idempotent-replay'), json }
}

async function countOf(name: string): Promise<number> {
  const listed = (await (await app.send('GET', '/v1/datasets')).json()) as { data: { name: string }[] }
  return listed.data.filter((dataset) => dataset.name === name).length
}

function formOf(name: string, content = JSON.stringify(examples[0])): FormData {
  const form = new FormData()
  form.append('file', new Blob([content]), 'examples.jsonl')
  form.append('name', name)
  return form
}

describe('a repeated Idempotency-Key', () => {
  it.each([
    ['of JSON', (name: string) => ({ name, examples })],
    ['of a form', formOf],
  ])('makes one dataset %s, and is refused for another one', async (_, bodyOf) => {
    const [key, name] = [randomUUID(), randomUUID()]
    const first = await post('/v1/datasets', bodyOf(name), key)
    expect([first.status, first.replay]).toEqual([201, null])
    expect(await post('/v1/datasets', bodyOf(name), key)).toEqual({ ...first, replay: 'true' })
    expect(await countOf(name)).toBe(1)
    const other = await post('/v1/datasets', bodyOf(`${name}-other`), key)
    expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('is free after a refused upload', async () => {
    const [key, name] = [randomUUID(), randomUUID()]
    expect((await post('/v1/datasets', formOf(name, 'not json'), key)).status).toBe(400)
    expect((await post('/v1/datasets', formOf(name), key)).status).toBe(201)
  })

  it('makes one dataset from logs, and a dry run does not use it', async () => {
    const [key, name] = [randomUUID(), randomUUID()]
    await app.log([{ tag: name, messages: [{ role: 'user', content: name }], reply: 'yes' }])
    const body = { name, filters: { tag: name } }
    expect((await post('/v1/datasets/from_logs', { ...body, dry_run: true }, key)).status).toBe(200)
    const first = await post('/v1/datasets/from_logs', body, key)
    expect([first.status, first.replay]).toEqual([201, null])
    expect(await post('/v1/datasets/from_logs', body, key)).toEqual({ ...first, replay: 'true' })
    expect(await countOf(name)).toBe(1)
    const other = await post('/v1/datasets/from_logs', { ...body, seed: 9 }, key)
    expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict'])
  })
})
