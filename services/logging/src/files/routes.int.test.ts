import { randomBytes, randomUUID } from 'node:crypto'
import { type DatasetApp, startDatasetApp } from '../datasets/dataset-app.fixture.ts'

let app: DatasetApp
beforeAll(async () => {
  app = await startDatasetApp()
})
afterAll(() => app?.stop())

function formOf(
  content: string | Uint8Array<ArrayBuffer>,
  { filename = 'a.jsonl', purpose = 'fine-tune' } = {},
): FormData {
  const form = new FormData()
  form.append('file', new Blob([content]), filename)
  form.append('purpose', purpose)
  return form
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
async function json(method: string, path: string, body?: object, by?: string): Promise<{ status: number; body: any }> {
  const response = await app.send(method, path, body, by)
  return { status: response.status, body: await response.json() }
}

it('stores the uploaded bytes unchanged, and replies with OpenAI’s shape', async () => {
  const content = new Uint8Array(randomBytes(3_500_000))
  const { status, body } = await json('POST', '/v1/files', formOf(content, { filename: 'größe (1).jsonl' }))
  expect([status, body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: 'file',
      bytes: 3_500_000,
      created_at: expect.any(Number),
      filename: 'größe (1).jsonl',
      purpose: 'fine-tune',
      status: 'processed',
    },
  ])
  expect(Number.isInteger(body.created_at)).toBe(true)
  expect((await json('GET', `/v1/files/${body.id}`)).body).toEqual(body)
  const download = await app.send('GET', `/v1/files/${body.id}/content`)
  expect(download.headers.get('content-length')).toBe('3500000')
  expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true)
  expect((await json('DELETE', `/v1/files/${body.id}`)).body).toEqual({ id: body.id, object: 'file', deleted: true })
  expect((await json('GET', `/v1/files/${body.id}`)).status).toBe(404)
})

it('deletes no file that a job still has to read, or while that is unknown', async () => {
  const { id } = (await json('POST', '/v1/files', formOf('{}'))).body
  app.training.reading = new Set([id])
  const refused = await json('DELETE', `/v1/files/${id}`)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict'])
  app.training.reading = null
  expect((await json('DELETE', `/v1/files/${id}`)).status).toBe(503)
  app.training.reading = new Set()
  expect((await json('DELETE', `/v1/files/${id}`)).status).toBe(200)
})

it('stores an empty file', async () => {
  const { body } = await json('POST', '/v1/files', formOf(''))
  const download = await app.send('GET', `/v1/files/${body.id}/content`)
  expect([body.bytes, download.status, await download.text()]).toEqual([0, 200, ''])
})

it('lists files as a plain array, the newest first, page by page', async () => {
  const by = randomUUID()
  const ids: string[] = []
  for (const n of [1, 2, 3]) ids.push((await json('POST', '/v1/files', formOf(`${n}`), by)).body.id)
  const listed = async (query: string) =>
    (await json('GET', `/v1/files${query}`, undefined, by)).body.map(({ id }: { id: string }) => id)
  expect(await listed('')).toEqual(ids.toReversed())
  expect(await listed('?limit=1')).toEqual(ids.slice(2))
  expect(await listed(`?after=${ids[2]}`)).toEqual([ids[1], ids[0]])
  expect(await listed(`?order=asc&after=${ids[0]}`)).toEqual([ids[1], ids[2]])
  expect(await listed('?purpose=batch')).toEqual([])
})

it.each(['OpenAI/Python 3.54.0', 'AsyncOpenAI/Python 3.54.0', 'OpenAI/JS 6.49.0', 'AzureOpenAI/JS 6.49.0'])(
  'lists files in the form that %s reads, page by page',
  async (userAgent) => {
    const by = randomUUID()
    const ids: string[] = []
    for (const n of [1, 2, 3]) ids.push((await json('POST', '/v1/files', formOf(`${n}`), by)).body.id)
    const listed = async (query: string) => {
      const answer = await app.send('GET', `/v1/files${query}`, undefined, by, { 'user-agent': userAgent })
      const { object, data, has_more, last_id } = (await answer.json()) as Record<string, unknown>
      return [object, (data as { id: string }[]).map(({ id }) => id), has_more, last_id]
    }
    expect(await listed('?limit=2')).toEqual(['list', [ids[2], ids[1]], true, ids[1]])
    expect(await listed(`?limit=2&after=${ids[1]}`)).toEqual(['list', [ids[0]], false, ids[0]])
    expect(await listed('?purpose=batch')).toEqual(['list', [], false, null])
  },
)

it('refuses unknown purposes, and stores nothing of the file', async () => {
  const by = randomUUID()
  const { status, body } = await json('POST', '/v1/files', formOf('x', { purpose: 'vision' }), by)
  expect([status, body.error.param]).toEqual([400, 'purpose'])
  expect((await json('GET', '/v1/files', undefined, by)).body).toEqual([])
})

it('refuses a body that is not a form', async () => {
  const { status, body } = await json('POST', '/v1/files', { purpose: 'fine-tune' })
  expect([status, body.error.code]).toEqual([415, 'unsupported_media_type'])
})

it.each([
  ['GET', ''],
  ['GET', '/content'],
  ['DELETE', ''],
])('answers %s %s of another workspace with the same bytes as for an unknown file', async (method, more) => {
  const { body } = await json('POST', '/v1/files', formOf('secret'))
  const foreign = await app.send(method, `/v1/files/${body.id}${more}`, undefined, randomUUID())
  const never = await app.send(method, `/v1/files/file-${'0'.repeat(32)}${more}`)
  expect([foreign.status, await foreign.text()]).toEqual([404, await never.text()])
  expect((await json('GET', `/v1/files/${body.id}`)).status).toBe(200)
})

describe('the storage quota', () => {
  const gigabyte = 1_024 ** 3
  /** A workspace of one gigabyte, of which this many bytes are free. */
  const workspaceWith = async (free: number): Promise<string> => {
    const id = randomUUID()
    await app.operator.query(`INSERT INTO workspace VALUES ($1, $2, 'W', now())`, [id, `w-${id}`])
    const settings = 'INSERT INTO workspace_settings (workspace_id, max_storage_gb) VALUES ($1, 1)'
    await app.operator.query(settings, [id])
    await app.operator.query(`INSERT INTO stored_bytes VALUES ($1, 'infinity', $2)`, [id, gigabyte - free])
    return id
  }
  const storedOf = async (id: string) => {
    const text = 'SELECT sum(bytes)::float8 AS bytes FROM stored_bytes WHERE workspace_id = $1'
    return (await app.operator.query<{ bytes: number }>(text, [id])).rows[0]?.bytes
  }
  const upload = async (by: string, bytes: number) => {
    const { status, body } = await json('POST', '/v1/files', formOf(new Uint8Array(randomBytes(bytes))), by)
    return { status, code: body.error?.code, id: body.id }
  }

  it('refuses a file that does not fit, stores nothing of it, and accepts it when another one was deleted', async () => {
    const by = await workspaceWith(3_000_000)
    const first = await upload(by, 2_500_000)
    expect(await upload(by, 2_500_000)).toMatchObject({ status: 403, code: 'quota_exceeded' })
    expect(await storedOf(by)).toBe(gigabyte - 500_000)
    expect((await json('GET', '/v1/files', undefined, by)).body).toHaveLength(1)
    expect((await json('DELETE', `/v1/files/${first.id}`, undefined, by)).status).toBe(200)
    expect(await storedOf(by)).toBe(gigabyte - 3_000_000)
    expect(await upload(by, 2_500_000)).toMatchObject({ status: 200 })
  })

  it('is not waited for when that of another workspace is locked, with its unfinished file', async () => {
    const [by, other] = [await workspaceWith(5_000_000), await workspaceWith(5_000_000)]
    const unfinished = `
      INSERT INTO file (id, workspace_id, filename, purpose, created_by, created_at, bytes)
      VALUES (gen_random_uuid(), $1, 'f', '', $1, now() - interval '1 day', 10)`
    for (const id of [by, other]) await app.operator.query(unfinished, [id])
    const client = await app.operator.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT FROM stored_bytes WHERE workspace_id = $1 FOR UPDATE', [other])
      expect(await upload(by, 1_000)).toMatchObject({ status: 200 })
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  it('holds for uploads at the same time', async () => {
    const by = await workspaceWith(5_000_000)
    const uploads = await Promise.all(Array.from({ length: 12 }, () => upload(by, 1_500_000)))
    const stored = uploads.filter(({ status }) => status === 200)
    expect(stored.length).toBeLessThanOrEqual(3)
    expect(uploads.filter(({ code }) => code === 'quota_exceeded')).toHaveLength(12 - stored.length)
    expect(await storedOf(by)).toBe(gigabyte - 5_000_000 + stored.length * 1_500_000)
  }, 30_000)

  it('counts datasets too, and does not let those of one workspace hinder another', async () => {
    const by = await workspaceWith(1_000_000)
    const line = JSON.stringify({
      messages: [
        { role: 'user', content: 'x'.repeat(1_000) },
        { role: 'assistant', content: 'y' },
      ],
    })
    const form = (lines: number) => {
      const data = new FormData()
      const text = Array.from({ length: lines }, (_, n) => line.replace('xx', `${n} `)).join('\n')
      data.append('file', new Blob([text]), 'a.jsonl')
      return data
    }
    const made = await json('POST', '/v1/datasets', form(500), by)
    expect(made.status).toBe(201)
    expect(await json('POST', '/v1/datasets', form(800), by)).toMatchObject({
      status: 403,
      body: { error: { code: 'quota_exceeded' } },
    })
    expect(await storedOf(by)).toBe(gigabyte - 1_000_000 + made.body.dataset.size_bytes)
    expect((await json('DELETE', `/v1/datasets/${made.body.dataset.id}`, undefined, by)).status).toBe(200)
    expect(await storedOf(by)).toBe(gigabyte - 1_000_000)
    expect((await upload(await workspaceWith(1_000_000), 500_000)).status).toBe(200)
  })
})
