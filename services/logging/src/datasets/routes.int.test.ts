import { createHash, randomUUID } from 'node:crypto'
import { connectPool } from '@ratchet/db/connect-pool'
import { type DatasetApp, startDatasetApp } from './dataset-app.fixture.ts'

let app: DatasetApp
beforeAll(async () => {
  app = await startDatasetApp()
})
afterAll(() => app?.stop())

const user = (content: string) => ({ role: 'user', content })
const deepExample = JSON.parse(
  `{"messages":[{"role":"user","content":"x","deep":${'['.repeat(300)}${']'.repeat(300)}},{"role":"assistant","content":"x"}]}`,
)
const assistant = (content: string) => ({ role: 'assistant', content })
const system = { role: 'system', content: 'Be brief.' }

async function json(method: string, path: string, body?: object, by?: string) {
  const response = await app.send(method, path, body, by)
  return { status: response.status, body: (await response.json()) as Record<string, never> & Json }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
type Json = any

async function upload(examples: readonly object[], name = `d-${randomUUID()}`) {
  const { status, body } = await json('POST', '/v1/datasets', { name, examples })
  expect(status).toBe(201)
  return body.dataset as Json
}

async function exported(id: string, format = 'openai') {
  const response = await app.send('GET', `/v1/datasets/${id}/export?format=${format}`)
  expect(response.status).toBe(200)
  return response
}

describe('a dataset curated from logs', () => {
  it('has the logged exchanges, folded, with their source, and its hash is that of the export', async () => {
    const tag = 'folded'
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }]
    const ids = await app.log([
      { tag, messages: [system, user('hi')], reply: 'hello', traceId: 't1' },
      { tag, messages: [system, user('hi'), assistant('hello'), user('weather?')], reply: 'sunny', traceId: 't1' },
      { tag, messages: [user('cut')], reply: 'of', finishReason: 'length' },
      {
        tag,
        messages: [user('call')],
        reply: {
          ...assistant(''),
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          refusal: null,
        },
        tools,
      },
      {
        tag,
        messages: [user('call')],
        reply: {
          ...assistant(''),
          tool_calls: [{ id: 'd', type: 'function', function: { name: 'f', arguments: '{ }' } }],
        },
        tools,
      },
      { tag: 'other', messages: [user('no')], reply: 'no' },
    ])
    const { status, body } = await json('POST', '/v1/datasets/from_logs', { name: 'mine', filters: { tag } })
    expect([status, body.object, body.eval_dataset]).toEqual([201, 'dataset.curation', null])
    expect(body.summary).toMatchObject({
      matched: 5,
      kept: 3,
      folded_turns: 1,
      folded_conversations: 1,
      train_count: 2,
    })
    expect(body.summary.dropped).toMatchObject({ truncated: 1, duplicate: 1 })
    expect(body.dataset).toMatchObject({
      object: 'dataset',
      name: 'mine',
      kind: 'train',
      source: 'logs',
      format: 'chat',
      example_count: 2,
      filters: { tag },
      holdout_pct: 0,
      sibling_id: null,
      created_by: app.workspaceId,
    })

    const { body: page } = await json('GET', `/v1/datasets/${body.dataset.id}/examples`)
    expect(page).toMatchObject({ object: 'list', total: 2, limit: 50, offset: 0, has_more: false })
    expect(page.data).toEqual([
      {
        index: 0,
        non_preferred_output: null,
        messages: [
          system,
          user('hi'),
          { ...assistant('hello'), weight: 1 },
          user('weather?'),
          { ...assistant('sunny'), weight: 1 },
        ],
        tools: null,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        source_log_id: ids[1],
        folded_turns: 1,
      },
      expect.objectContaining({ index: 1, tools, source_log_id: ids[3], folded_turns: 0 }),
    ])
    const text = await (await exported(body.dataset.id)).text()
    expect(createHash('sha256').update(text).digest('hex')).toBe(body.dataset.sha256)
    expect(Buffer.byteLength(text)).toBe(body.dataset.size_bytes)
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).messages),
    ).toEqual(page.data.map(({ messages }: Json) => messages))
  })

  it('has a disjoint holdout, and both name each other as sibling', async () => {
    const tag = 'held'
    await app.log(
      Array.from({ length: 40 }, (_, n) => ({ tag, messages: [user(`question ${n}`)], reply: `answer ${n}` })),
    )
    const { body } = await json('POST', '/v1/datasets/from_logs', { name: 'split', filters: { tag }, holdout_pct: 25 })
    expect(body.summary).toMatchObject({ matched: 40, kept: 40, train_count: 30, eval_count: 10 })
    const { dataset, eval_dataset: held } = body
    expect([dataset.name, dataset.kind, held.name, held.kind]).toEqual(['split', 'train', 'split-eval', 'eval'])
    expect([dataset.sibling_id, held.sibling_id]).toEqual([held.id, dataset.id])
    const lines = await Promise.all(
      [dataset.id, held.id].map(async (id: string) => (await (await exported(id)).text()).trimEnd().split('\n')),
    )
    expect(lines.map(({ length }) => length)).toEqual([30, 10])
    expect(new Set(lines.flat()).size).toBe(40)

    expect((await json('DELETE', `/v1/datasets/${held.id}`)).body).toEqual({ id: held.id, deleted: true })
    expect((await json('GET', `/v1/datasets/${dataset.id}`)).body.sibling_id).toBeNull()
  })

  it('is counted but not created in a dry run', async () => {
    await app.log([{ tag: 'dry', messages: [user('a')], reply: 'b' }])
    const { status, body } = await json('POST', '/v1/datasets/from_logs', {
      name: 'dry',
      filters: { tag: 'dry' },
      dry_run: true,
    })
    expect([status, body.dataset, body.summary.kept]).toEqual([200, null, 1])
    expect((await json('GET', '/v1/datasets?name=dry')).body.total).toBe(0)
  })

  it('can have more exchanges than one read returns', async () => {
    const tag = 'many'
    await app.log(
      Array.from({ length: 1_100 }, (_, n) => ({ tag, messages: [user(`q ${n}`)], reply: `a ${n}`, segment: 's' })),
    )
    const { body } = await json('POST', '/v1/datasets/from_logs', { name: 'many', filters: { tag } })
    expect(body.dataset.example_count).toBe(1_100)
    const lines = (await (await exported(body.dataset.id)).text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).messages[0].content)).toEqual(
      Array.from({ length: 1_100 }, (_, n) => `q ${n}`),
    )
    const { body: page } = await json('GET', `/v1/datasets/${body.dataset.id}/examples?limit=200&offset=1000`)
    expect([page.data.length, page.data[0].index, page.has_more]).toEqual([100, 1_000, false])
  })

  it.each([
    [{ filters: { tag: 'nothing-has-it' }, name: 'x' }, 400, 'invalid_request', 'filters'],
    [{ filters: { frobnicate: 1 }, name: 'x' }, 400, 'unknown_parameter', 'filters.frobnicate'],
    [{ filters: {}, name: ' ' }, 400, 'invalid_request', 'name'],
    [{ filters: {} }, 400, 'invalid_request', 'name'],
    [{ name: 'x', holdout_pct: 100 }, 400, 'invalid_request', 'holdout_pct'],
    [{ name: 'x', holdout_pct: 1.5 }, 400, 'invalid_request', 'holdout_pct'],
    [{ name: 'x', weight_earlier_turns: 0.5 }, 400, 'invalid_request', 'weight_earlier_turns'],
    [{ name: 'x', criterion_id: 'crit_1' }, 404, 'not_found', 'criterion_id'],
    [{ name: 'x', verdict: 'pass' }, 400, 'invalid_request', 'verdict'],
    [{ name: 'x', frobnicate: 1 }, 400, 'unknown_parameter', 'frobnicate'],
  ])('is refused for %j', async (body, expected, code, param) => {
    const { status, body: answer } = await json('POST', '/v1/datasets/from_logs', body)
    expect([status, answer.error.code, answer.error.param]).toEqual([expected, code, param])
  })

  it('is refused while the workspace does not log', async () => {
    const { status, body } = await json('POST', '/v1/datasets/from_logs', { name: 'x' }, randomUUID())
    expect([status, body.error.code]).toEqual([409, 'logging_disabled'])
  })
})

describe('an uploaded dataset', () => {
  const examples = [
    { messages: [system, user('=1+1?'), assistant('2')] },
    {
      messages: [user('a'), { ...assistant('b'), weight: 0 }, user('c'), { ...assistant('d'), weight: 1 }],
      tools: [{ type: 'function', function: { name: 'f' } }],
    },
  ]

  it('gets the reply of a curation that drops nothing', async () => {
    const { status, body } = await json('POST', '/v1/datasets', { name: 'up', description: 'mine', examples })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      object: 'dataset.curation',
      eval_dataset: null,
      summary: { matched: 2, kept: 2, train_count: 2 },
    })
    expect(body.dataset).toMatchObject({
      name: 'up',
      description: 'mine',
      source: 'upload',
      kind: 'train',
      example_count: 2,
      segment: null,
    })
    const { body: page } = await json('GET', `/v1/datasets/${body.dataset.id}/examples?limit=1`)
    expect(page).toMatchObject({
      total: 2,
      has_more: true,
      data: [{ index: 0, source_log_id: null, folded_turns: 0, ...examples[0] }],
    })
  })

  it('can be sent as JSON lines in a form, with the name behind the file, or as an uploaded file', async () => {
    const text = `\uFEFF${examples.map((each) => JSON.stringify(each)).join('\r\n\n')}`
    const form = new FormData()
    form.append('file', new Blob([text]), 'examples.jsonl')
    form.append('name', 'by form')
    const { body } = (await json('POST', '/v1/datasets', form)) as Json
    expect(body.dataset).toMatchObject({ name: 'by form', example_count: 2 })

    const file = new FormData()
    file.append('purpose', 'fine-tune')
    file.append('file', new Blob([text]), 'examples.jsonl')
    const { body: stored } = await json('POST', '/v1/files', file)
    for (const key of ['file_id', 'fileId']) {
      const again = await json('POST', '/v1/datasets', { name: 'by file', [key]: stored.id })
      expect(again.body.dataset.sha256).toBe(body.dataset.sha256)
    }
  })

  it('of prompts has examples that end before the reply, in JSON, a form or a file', async () => {
    const prompt = { messages: [{ role: 'user', content: 'Why?' }] }
    const { body } = await json('POST', '/v1/datasets', { name: 'asked', format: 'prompts', examples: [prompt] })
    expect(body.dataset).toMatchObject({ format: 'prompts', example_count: 1 })
    const page = await json('GET', `/v1/datasets/${body.dataset.id}/examples`)
    expect(page.body.data[0].messages).toEqual([expect.objectContaining(prompt.messages[0])])
    const table = await json('GET', `/v1/datasets/${body.dataset.id}/export?format=csv`)
    expect([table.status, table.body.error.param]).toEqual([400, 'format'])
    const formOf = (fields: readonly (readonly [string, string | Blob])[]) => {
      const form = new FormData()
      for (const [name, value] of fields) form.append(name, value)
      return form
    }
    const file = ['file', new Blob([JSON.stringify(prompt)])] as const
    const sent = await json('POST', '/v1/datasets', formOf([['format', 'prompts'], file]))
    expect(sent.body.dataset.sha256).toBe(body.dataset.sha256)
    const late = await json('POST', '/v1/datasets', formOf([file, ['format', 'prompts']]))
    expect(late.status).toBe(400)
    const answered = { messages: [...prompt.messages, { role: 'assistant', content: 'So.' }] }
    const wrong = await json('POST', '/v1/datasets', { name: 'x', format: 'prompts', examples: [answered] })
    expect(wrong.body.error).toMatchObject({ code: 'invalid_request', param: 'examples.0.messages.1' })
  })

  it.each([
    ['{"messages":[]}', 'file.2', /Line 2/],
    ['{"messages":[{"role":"user","content":"q"}]}', 'file.2', /assistant/],
    ['{"messages":[{"role":"assistant","content":""}]}', 'file.2', /neither/],
    ['{"prompt":"x","messages":[{"role":"assistant","content":"a"}]}', 'file.2', /prompt/],
    ['{"messages"', 'file.2', /not JSON/],
  ])('is refused with the line that is not an example, and nothing of it is stored: %s', async (line, param, says) => {
    const name = `d-${randomUUID()}`
    const form = new FormData()
    form.append('name', name)
    form.append('file', new Blob([`${JSON.stringify(examples[0])}\n${line}\n`]), 'x.jsonl')
    const { status, body } = (await json('POST', '/v1/datasets', form)) as Json
    expect([status, body.error.param]).toEqual([400, param])
    expect(body.error.message).toMatch(says)
    const pool = connectPool({ databaseUrl: app.databaseUrl, max: 1 })
    const { rows } = await pool.query('SELECT count(*)::int AS left FROM dataset WHERE frozen_at IS NULL')
    await pool.end()
    expect(rows).toEqual([{ left: 0 }])
  })

  it.each([
    [{ name: 'x' }, 400, 'examples'],
    [{ name: 'x', examples: [], file_id: undefined }, 400, 'examples'],
    [{ name: 'x', file_id: 'file-0' }, 404, 'file_id'],
    [{ name: 'x', file_id: 'file-1', fileId: 'file-2' }, 400, 'fileId'],
    [{ name: 'x', examples: [{ messages: [{ role: 'robot', content: 'x' }] }] }, 400, 'examples.0.messages.0.role'],
    [{ name: 'x', examples: [deepExample] }, 400, 'examples.0'],
  ])('is refused for %j', async (body, expected, param) => {
    const { status, body: answer } = await json('POST', '/v1/datasets', body)
    expect([status, answer.error.param]).toEqual([expected, param])
  })

  it('is exported in every format', async () => {
    const { id } = await upload(examples)
    const linesOf = async (format: string) =>
      (await (await exported(id, format)).text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    expect(await linesOf('openai')).toEqual(examples)
    expect(await linesOf('openai_evals')).toMatchObject([
      { item: { input: [system, user('=1+1?')], ideal: '2' } },
      { item: { ideal: 'd', tools: examples[1]?.tools } },
    ])
    expect(await linesOf('sharegpt')).toMatchObject([
      {
        conversations: [
          { from: 'system', value: 'Be brief.' },
          { from: 'human', value: '=1+1?' },
          { from: 'gpt', value: '2' },
        ],
      },
      { tools: '[{"name":"f"}]' },
    ])
    const csv = await exported(id, 'csv')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect((await csv.text()).split('\n').slice(0, 2)).toEqual([
      'index,system,prompt,completion,messages,tools,source_log_id',
      expect.stringMatching(/^0,Be brief\.,'=1\+1\?,2,"\[\{""role""/),
    ])
    expect((await app.send('GET', `/v1/datasets/${id}/export?format=xml`)).status).toBe(400)
  })

  it('has examples with half of a surrogate pair as they were given', async () => {
    const example = { messages: [user('\ud800'), assistant('a\udc00')] }
    const { id } = await upload([example])
    expect(JSON.parse(await (await exported(id)).text())).toEqual(example)
  })

  it('can be renamed, and nothing else of it changes', async () => {
    const { id, sha256 } = await upload(examples)
    const { status, body } = await json('PATCH', `/v1/datasets/${id}`, { name: 'renamed', description: 'now' })
    expect([status, body.name, body.description, body.sha256]).toEqual([200, 'renamed', 'now', sha256])
    expect((await json('PATCH', `/v1/datasets/${id}`, { description: null })).body).toMatchObject({
      name: 'renamed',
      description: null,
    })
    expect((await json('PATCH', `/v1/datasets/${id}`, { sha256: 'x' })).body.error.code).toBe('unknown_parameter')
  })

  it('is listed by name, kind and segment, the newest first', async () => {
    const name = `d-${randomUUID()}`
    const first = await upload(examples, name)
    const second = await upload(examples, name)
    const { body } = await json('GET', `/v1/datasets?name=${name}&limit=1`)
    expect(body).toMatchObject({
      object: 'list',
      total: 2,
      limit: 1,
      offset: 0,
      has_more: true,
      data: [{ id: second.id }],
    })
    expect((await json('GET', `/v1/datasets?name=${name}&offset=1`)).body.data).toEqual([first])
    expect((await json('GET', `/v1/datasets?name=${name}&kind=eval`)).body.total).toBe(0)
    expect((await json('GET', `/v1/datasets?name=${name}&segment=s`)).body.total).toBe(0)
    expect((await json('GET', '/v1/datasets?limit=201')).body.error.param).toBe('limit')
  })

  it('cannot be deleted while a job reads it, or while that is unknown', async () => {
    const { id } = await upload(examples)
    app.evals.reading = new Set([id])
    expect((await json('DELETE', `/v1/datasets/${id}`)).body.error.code).toBe('dataset_in_use')
    app.evals.reading = null
    expect((await json('DELETE', `/v1/datasets/${id}`)).body.error.code).toBe('service_unavailable')
    app.evals.reading = new Set()
    app.training.reading = new Set([id])
    expect((await json('DELETE', `/v1/datasets/${id}`)).body.error.code).toBe('dataset_in_use')
    app.training.reading = null
    expect((await json('DELETE', `/v1/datasets/${id}`)).body.error.code).toBe('service_unavailable')
    app.training.reading = new Set()
    expect((await json('DELETE', `/v1/datasets/${id}`)).status).toBe(200)
  })

  it.each([
    ['GET', ''],
    ['GET', '/examples'],
    ['GET', '/export'],
    ['PATCH', ''],
    ['DELETE', ''],
  ])('gets for %s %s of another workspace the same bytes as an unknown one', async (method, more) => {
    const { id } = await upload(examples)
    const body = method === 'PATCH' ? { name: 'taken' } : undefined
    const answers = await Promise.all([
      app.send(method, `/v1/datasets/${id}${more}`, body, randomUUID()),
      app.send(method, `/v1/datasets/ds_${'0'.repeat(32)}${more}`, body),
      app.send(method, `/v1/datasets/nonsense${more}`, body),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
    expect((await json('GET', `/v1/datasets/${id}`)).body.id).toBe(id)
  })
})
