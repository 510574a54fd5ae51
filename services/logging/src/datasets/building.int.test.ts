import { createHash, randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { type DatasetApp, startDatasetApp } from './dataset-app.fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

let app: DatasetApp
beforeAll(async () => {
  app = await startDatasetApp()
})
afterAll(() => app.stop())

const progress = { samples: 2, answered: 0, refused: 0, judged: 0, passed: 0, cost_usd: 0 }
const example = (index: number) => ({
  messages: [
    { role: 'user', content: `Question ${index}?` },
    { role: 'assistant', content: `Answer ${index}.` },
  ],
})

async function send(method: string, path: string, body?: object, by?: string): Promise<Json> {
  const answer = await app.send(method, path, body, by)
  const text = await answer.text()
  return {
    status: answer.status,
    body: text.startsWith('{"object') || text.includes('"error"') ? JSON.parse(text) : text,
  }
}

async function announced(): Promise<string> {
  const id = publicId('dataset', randomUUID())
  const body = { name: 'Distilled', filters: { teacher_model: 'sim/x' }, criterion_id: null, progress }
  const { body: dataset } = await send('PUT', `/internal/datasets/${id}`, body)
  expect(dataset).toMatchObject({ id, status: 'building', source: 'distill', sha256: '', example_count: 0, progress })
  return id
}

it('shows a dataset that is being built, and gives none of it', async () => {
  const id = await announced()
  expect((await send('GET', `/v1/datasets/${id}`)).body).toMatchObject({ status: 'building', progress })
  expect((await send('GET', `/v1/datasets/${id}`, undefined, randomUUID())).status).toBe(404)
  const listed = await send('GET', '/v1/datasets?name=Distilled')
  expect(JSON.stringify(listed.body)).toContain(id)
  for (const path of ['examples', 'export']) {
    const { status, body } = await send('GET', `/v1/datasets/${id}/${path}`)
    expect([status, body.error.code]).toEqual([409, 'conflict'])
  }
  const later = { ...progress, answered: 1, cost_usd: 0.5 }
  const report = { progress: later, status_message: 'Waits.', failed: false }
  expect((await send('PATCH', `/internal/datasets/${id}`, report)).body).toMatchObject({
    status: 'building',
    status_message: 'Waits.',
    progress: later,
  })
})

it('is ready with its examples, each once and in one order', async () => {
  const hashes = []
  for (const examples of [
    [example(1), example(2), example(1)],
    [example(2), example(1)],
  ]) {
    const id = await announced()
    // What an attempt stored that was interrupted.
    await app.operator.query(
      `INSERT INTO dataset_example (dataset_id, position, line, sha256, folded_turns)
       SELECT id, 0, '{}', 'x', 0 FROM dataset WHERE status = 'building' ORDER BY created_at DESC LIMIT 1`,
    )
    const filled = await send('PUT', `/internal/datasets/${id}/examples`, { examples })
    expect(filled.body).toMatchObject({ status: 'ready', example_count: 2 })
    expect((await send('PUT', `/internal/datasets/${id}/examples`, { examples: [example(3)] })).body).toEqual(
      filled.body,
    )
    const { body: text } = await send('GET', `/v1/datasets/${id}/export`)
    expect(createHash('sha256').update(text).digest('hex')).toBe(filled.body.sha256)
    hashes.push(filled.body.sha256)
  }
  expect(hashes[0]).toBe(hashes[1])
})

it('shows one that failed, which can be deleted', async () => {
  const id = await announced()
  const report = { progress, status_message: 'The judge passed no answer.', failed: true }
  expect((await send('PATCH', `/internal/datasets/${id}`, report)).body).toMatchObject({ status: 'failed' })
  expect((await send('PUT', `/internal/datasets/${id}/examples`, { examples: [example(1)] })).status).toBe(409)
  expect((await send('DELETE', `/v1/datasets/${id}`)).status).toBe(200)
  expect((await send('PATCH', `/internal/datasets/${id}`, report)).status).toBe(404)
})

it('draws distinct prompts with their content', async () => {
  const messages = [{ role: 'user', content: 'Hi?' }]
  await app.log([
    { messages, reply: 'Hello.', tag: 'drawn' },
    { messages, reply: 'Hello!', tag: 'drawn' },
    { messages: [{ role: 'user', content: 'And?' }], reply: 'So.', tag: 'other' },
  ])
  const body = { filters: { tag: 'drawn' }, count: 10, seed: 1 }
  const answer = await app.send('POST', '/internal/prompts/draw', body)
  expect(await answer.json()).toEqual({
    data: [{ messages, tools: null, reply: expect.objectContaining({ role: 'assistant' }) }],
  })
})
