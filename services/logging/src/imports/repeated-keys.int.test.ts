import { randomUUID } from 'node:crypto'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'

let service: LoggingService
beforeAll(async () => {
  service = await startLoggingService()
}, 60_000)
afterAll(() => service?.stop())

const entry = (n: number) => ({
  model: 'acme/fast',
  messages: [{ role: 'user', content: `Mail ${n}` }],
  response: { role: 'assistant', content: `Folder ${n}` },
})

async function post(body: string | object | FormData, key: string, type?: string) {
  const headers = { 'idempotency-key': key, ...(type === undefined ? {} : { 'content-type': type }) }
  const answer = await service.send({ method: 'POST', path: '/v1/logs/import', body, headers })
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
  const json = (await answer.json()) as any
  return { status: answer.status, replay: answer.headers.get('idempotent-replay'), json }
}

function formOf(text: string): FormData {
  const form = new FormData()
  form.append('file', new Blob([text]), 'logs.jsonl')
  return form
}

it.each([
  ['JSON', (n: number) => ({ logs: [entry(n)] }), undefined],
  ['JSON lines', (n: number) => JSON.stringify(entry(10 + n)), 'application/jsonl'],
  ['a form', (n: number) => formOf(JSON.stringify(entry(20 + n))), undefined],
] as const)('a repeated Idempotency-Key gets the first report of an import of %s', async (_, bodyOf, type) => {
  const key = randomUUID()
  const first = await post(bodyOf(1), key, type)
  expect([first.status, first.replay, first.json.imported]).toEqual([200, null, 1])
  expect(await post(bodyOf(1), key, type)).toEqual({ ...first, replay: 'true' })
  const other = await post(bodyOf(2), key, type)
  expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict'])
})
