import { randomUUID } from 'node:crypto'
import { readFeedback } from '@ratchet/contracts/internal-feedback'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'

let service: LoggingService
beforeAll(async () => {
  service = await startLoggingService()
}, 60_000)
afterAll(() => service?.stop())

async function send(method: string, path: string, body?: object, workspaceId = service.workspaceId, headers = {}) {
  const answer = await service.send({ method, path, body, workspaceId, headers })
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
  return { status: answer.status, body: (await answer.json()) as any }
}

const give = (body: object, by?: string, headers?: object) => send('POST', '/v1/feedback', body, by, headers)
const count = (body: object, by?: string) => send('POST', readFeedback.path, body, by)

/** The public id of a new log entry. */
async function logged(more: object = {}): Promise<string> {
  const text = randomUUID()
  const messages = [{ role: 'user', content: text }]
  const entry = {
    model: 'acme/fast',
    messages,
    response: { role: 'assistant', content: 'No.' },
    trace_id: text,
    ...more,
  }
  await send('POST', '/v1/logs/import', { logs: [entry] })
  const { body } = await send('GET', `/v1/logs?trace_id=${'trace_id' in more ? more.trace_id : text}`)
  return body.data[0].id
}

const uuidOf = (logId: string) => logId.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
const logOf = async (id: string) => (await send('GET', `/v1/logs/${id}`)).body

it('is shown with its log entry, without secrets, and counted for judging', async () => {
  const id = await logged()
  const key = `sk-proj-${'a1B2c3D4'.repeat(5)}`
  const { status, body } = await give({ log_id: id, rating: 'down', comment: `It showed ${key}.` })
  expect([status, body]).toEqual([
    201,
    {
      object: 'feedback',
      id: expect.stringMatching(/^fb_[0-9a-f]{32}$/),
      log_id: id,
      trace_id: null,
      rating: 'down',
      score: null,
      comment: 'It showed [redacted].',
      created_at: expect.stringMatching(/Z$/),
    },
  ])
  expect((await logOf(id)).feedback).toEqual([body])
  await give({ log_id: id, score: 0.9 })
  await give({ log_id: id, rating: 'down', score: 0.9 })
  await give({ log_id: id, comment: 'Hm.' })
  const counted = await count({ log_ids: [uuidOf(id)] })
  expect(counted.body.data).toEqual([{ log_id: uuidOf(id), trace_id: null, up: 1, down: 2 }])
})

it('may be about an answer, by the id of its request, or about a trace, which shows it with its entries', async () => {
  const trace = `trace-${randomUUID()}`
  const id = await logged({ trace_id: trace })
  const { rows } = await service.operator.query('SELECT request_id FROM exchange WHERE id = $1', [uuidOf(id)])
  const requestId: string = rows[0].request_id
  for (const responseId of [requestId, `resp_${requestId.replaceAll('-', '')}`, `chatcmpl-${requestId}`]) {
    expect((await give({ response_id: responseId, rating: 'up' })).body.log_id).toBe(id)
  }
  const { body } = await give({ trace_id: trace, score: 0 })
  expect(body).toMatchObject({ log_id: null, trace_id: trace, score: 0 })
  expect((await logOf(id)).feedback).toHaveLength(4)
  expect((await count({ trace_ids: [trace] })).body.data).toEqual([{ log_id: null, trace_id: trace, up: 0, down: 1 }])
})

it('is deleted with the entry, also that on its trace', async () => {
  const trace = `trace-${randomUUID()}`
  const id = await logged({ trace_id: trace })
  await give({ log_id: id, rating: 'up' })
  await give({ trace_id: trace, rating: 'up' })
  await send('DELETE', `/v1/logs/${id}`)
  const { rows } = await service.operator.query('SELECT id FROM feedback WHERE log_id = $1 OR trace_id = $2', [
    uuidOf(id),
    trace,
  ])
  expect(rows).toEqual([])
})

it('expires with the entry', async () => {
  const id = await logged()
  await give({ log_id: id, rating: 'up' })
  const { rows } = await service.operator.query(
    'SELECT f.expires_at = e.expires_at AS same FROM feedback f JOIN exchange e ON e.id = f.log_id WHERE f.log_id = $1',
    [uuidOf(id)],
  )
  expect(rows).toEqual([{ same: true }])
})

it('belongs to its workspace', async () => {
  const other = await service.addWorkspace()
  const id = await logged()
  await give({ log_id: id, rating: 'up' })
  expect((await give({ log_id: id, rating: 'up' }, other)).status).toBe(404)
  expect((await count({ log_ids: [uuidOf(id)] }, other)).body.data).toEqual([])
})

it.each([
  ['no target', { rating: 'up' }, 'log_id'],
  ['two targets', { rating: 'up', log_id: 'a', trace_id: 'b' }, 'log_id'],
  ['nothing said', { trace_id: 'b' }, 'rating'],
  ['a wrong score', { trace_id: 'b', score: 2 }, 'score'],
  ['a wrong rating', { trace_id: 'b', rating: 'fine' }, 'rating'],
  ['an empty comment', { trace_id: 'b', comment: '' }, 'comment'],
])('is refused for %s', async (_, sent, param) => {
  const { status, body } = await give(sent)
  expect([status, body.error.param]).toEqual([400, param])
})

it('is refused for what the log does not have, and without a log', async () => {
  const absent = { log_id: `log_${'0'.repeat(32)}`, response_id: 'chatcmpl-of-a-provider', trace_id: 'none' }
  for (const [param, id] of Object.entries(absent)) {
    const { status, body } = await give({ [param]: id, rating: 'up' })
    expect([status, body.error.code, body.error.param]).toEqual([404, 'not_found', param])
  }
  const silent = await service.addWorkspace({ isLogging: false })
  expect((await give({ trace_id: 'none', rating: 'up' }, silent)).body.error.code).toBe('logging_disabled')
})

it('is bounded, and a repeated Idempotency-Key counts once', async () => {
  const id = await logged()
  const headers = { 'idempotency-key': randomUUID() }
  const first = await give({ log_id: id, rating: 'down' }, undefined, headers)
  expect(await give({ log_id: id, rating: 'down' }, undefined, headers)).toEqual(first)
  for (let index = 1; index < 50; index += 1) await give({ log_id: id, rating: 'up' })
  const { status, body } = await give({ log_id: id, rating: 'up' })
  expect([status, body.error.code]).toEqual([403, 'quota_exceeded'])
  expect((await logOf(id)).feedback).toHaveLength(50)
})

it('is not returned to a repeated Idempotency-Key after its entry was deleted, nor kept with it', async () => {
  const id = await logged()
  const headers = { 'idempotency-key': randomUUID() }
  const comment = `A comment ${randomUUID()}`
  const sent = { log_id: id, comment }
  expect((await give(sent, undefined, headers)).body.comment).toBe(comment)
  await send('DELETE', `/v1/logs/${id}`)
  const again = await give(sent, undefined, headers)
  expect([again.status, again.body.error.code]).toEqual([404, 'not_found'])
  const { rows } = await service.operator.query('SELECT id FROM logging_answer WHERE answer LIKE $1', [`%${comment}%`])
  expect(rows).toEqual([])
})

it('is retained from the import of what it is about, however old that is and whenever it is given', async () => {
  const trace = `trace-${randomUUID()}`
  const id = await logged({ trace_id: trace, created_at: '2024-01-01T00:00:00Z' })
  await give({ log_id: id, rating: 'up' })
  await give({ trace_id: trace, rating: 'up' })
  const { rows } = await service.operator.query(
    'SELECT log_id, logged_at, expires_at FROM feedback WHERE log_id = $1 OR trace_id = $2 ORDER BY log_id',
    [uuidOf(id), trace],
  )
  const importedAt = Number.parseInt(id.slice(4, 16), 16)
  expect(rows.map(({ log_id: logId }) => logId)).toEqual([uuidOf(id), null])
  expect(rows[0].logged_at.getTime()).toBe(importedAt)
  expect(rows[1].logged_at.getTime()).toBe(rows[1].expires_at.getTime() - 30 * 86_400_000)
})
