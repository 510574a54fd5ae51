import { randomBytes } from 'node:crypto'
import { SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { captureStream } from '@ratchet/contracts/captured-exchange'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { redisCommand } from './faults/own-stores.ts'
import type { Fleet } from './fleet.ts'
import { startFleetOnDisk } from './fleet-on-disk.ts'
import { apiOf } from './judged-traffic.ts'
import { everyRedisValue, everyStoredText } from './stored-texts.ts'
import { filesWith, textsOnDisk } from './texts-on-disk.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let folder: string
let stop: (() => Promise<void>) | undefined
let pool: Pool
let workspace: DemoWorkspace

beforeAll(async () => {
  // Half a day in production: how long deleted bytes may stay in files until they are written again.
  const started = await startFleetOnDisk({ CAPTURE_CLAIM_IDLE_MS: '1000', ERASE_AFTER_MS: '1000' })
  ;({ fleet, folder, stop } = started)
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await stop?.()
}, 180_000)

/** Every secret that was sent, with its place. */
const sent = new Map<string, string>()

/** Creates a secret in the form of OpenAI's keys, which is also a valid name of a function. */
function canary(where: string): string {
  const secret = `sk-proj-${randomBytes(16).toString('hex')}`
  sent.set(secret, where)
  return secret
}

function sentFrom(prefix: string): number {
  return [...sent.values()].filter((where) => where.startsWith(prefix)).length
}

/** The places of the secrets that texts still contain. */
function leaks(texts: Iterable<string>): string[] {
  const found = new Set<string>()
  for (const text of texts) {
    for (const [secret] of text.matchAll(/sk-proj-[0-9a-f]{32}/g)) found.add(sent.get(secret) ?? 'unknown')
  }
  return [...found].toSorted()
}

/** Clients store files, and answers of the responses API, as they are. */
const isStoredOnPurpose = (where: string) => /^file (?!dataset)|^(input|instructions)$/.test(where)

/** The places of secrets that are in any file of the fleet. */
async function leaksOnDisk(): Promise<readonly string[]> {
  // Postgres writes changed pages to its files.
  await pool.query('CHECKPOINT')
  const found = new Set<string>()
  for await (const { file, text } of textsOnDisk(folder))
    for (const where of leaks([text])) if (!isStoredOnPurpose(where)) found.add(`${where}: ${file}`)
  return [...found]
}

/** All stored texts of the log, except files. */
async function keptTexts(): Promise<string[]> {
  const tables = await everyStoredText(pool, 'ratchet_logging')
  return tables.filter(({ table }) => table !== 'file_chunk').map(({ text }) => text)
}

async function expectNothingKept(): Promise<void> {
  expect(leaks(await keptTexts())).toEqual([])
  // Exchanges are in Redis until the worker acknowledges that they are stored.
  await eventually(async () => expect(leaks(await everyRedisValue(fleet.redisUrl))).toEqual([]), { withinMs: 45_000 })
  const printed = [...fleet.edges, fleet.inference, fleet.logging, fleet.loggingWorker].flatMap(({ log }) => log)
  expect(leaks(printed)).toEqual([])
  expect(await leaksOnDisk()).toEqual([])
}

async function loggedRows(count: number) {
  return eventually(
    async () => {
      const { rows } = await pool.query('SELECT * FROM exchange WHERE workspace_id = $1', [workspace.workspaceId])
      return rows.length >= count ? rows : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
}

const schema = (where: string) => ({
  type: 'object',
  description: canary(`${where}.description`),
  properties: {
    [canary(`${where}.properties, a name`)]: { type: 'string', enum: [canary(`${where}.enum`)] },
    [canary(`${where}.properties, another`)]: { type: 'string', default: canary(`${where}.default`) },
    logprobs: { type: 'string', title: canary(`${where}.logprobs`) },
  },
  required: [canary(`${where}.required`)],
})

function conversation(where: string): object[] {
  const callId = canary(`${where} tool_calls.id`)
  const name = canary(`${where} function.name`)
  const args = JSON.stringify({ [canary(`${where} argument's name`)]: canary(`${where} argument`) })
  return [
    { role: 'system', name: canary(`${where} system.name`), content: `Use ${canary(`${where} system`)}.` },
    {
      role: 'user',
      name: canary(`${where} user.name`),
      content: [
        { type: 'text', text: `key: ${canary(`${where} part`)}` },
        { type: 'image_url', image_url: { url: `https://example.com/?k=${canary(`${where} image_url`)}` } },
      ],
    },
    {
      role: 'assistant',
      content: canary(`${where} assistant`),
      refusal: canary(`${where} refusal`),
      tool_calls: [{ id: callId, type: 'function', function: { name, arguments: args } }],
    },
    { role: 'tool', tool_call_id: callId, content: JSON.stringify({ note: `see\n${canary(`${where} tool`)}` }) },
    { role: 'user', content: canary(`${where} last`), logprobs: canary(`${where} logprobs`) },
  ]
}

const toolsOf = (where: string) => [
  {
    type: 'function',
    function: {
      name: canary(`${where} tools.name`),
      description: canary(`${where} tools.description`),
      parameters: schema(`${where} tools`),
    },
  },
]

const chatBody = (where: string) => ({
  messages: conversation(where),
  tools: toolsOf(where),
  response_format: {
    type: 'json_schema',
    json_schema: { name: canary(`${where} format.name`), schema: schema(`${where} format`) },
  },
  stop: [canary(`${where} stop`)],
  user: canary(`${where} user`),
  metadata: { [canary(`${where} metadata name`)]: canary(`${where} metadata`) },
})

async function chat(where: string, stream = false): Promise<void> {
  const headers = { 'x-svc-tag': canary(`${where} tag`), 'x-svc-trace-id': canary(`${where} trace`) }
  const call = { model: 'sim/echo', apiKey: workspace.apiKey, headers, stream, body: chatBody(where) }
  const response = await postChat(fleet, call)
  const text = await response.text()
  expect(response.status).toBe(200)
  if (!stream) expect(leaks([text])).toEqual([`${where} last`])
}

it('stores no secret of a chat completion or its headers', async () => {
  await chat('chat')
  await chat('streamed chat', true)
  const rows = await loggedRows(2)
  for (const row of rows) expect(row).toMatchObject({ tag: '[redacted]', trace_id: '[redacted]' })
  for (const row of rows) expect(row.redaction_count).toBeGreaterThanOrEqual(27)
  await expectNothingKept()
}, 180_000)

it('stores no secret of exchanges that inference sends directly while Redis is unavailable', async () => {
  const { length } = await loggedRows(0)
  await fleet.redis.refuse()
  await chat('chat without Redis')
  await loggedRows(length + 1)
  await fleet.redis.restore()
  await expectNothingKept()
}, 180_000)

it('writes no secret to disk or Redis while captured exchanges wait for a worker', async () => {
  const { length } = await loggedRows(0)
  await fleet.loggingWorker.stop()
  await chat('chat without a worker')
  const entries = () => redisCommand(fleet.redisUrl, (redis) => redis.xrangeBuffer(captureStream.key, '-', '+'))
  const [[, [, sealed] = []]] = await eventually(async () => {
    const [first] = await entries()
    return first === undefined ? null : [first]
  })
  expect(leaks(await everyRedisValue(fleet.redisUrl))).toEqual([])
  // Redis did write the exchange to its file, and removes it when it is stored.
  const written = sealed?.toString('latin1', 0, 100) ?? ''
  expect((await filesWith(folder, written)).join()).toContain('appendonly')
  expect(await leaksOnDisk()).toEqual([])
  await fleet.restartLoggingWorker()
  await loggedRows(length + 1)
  await expectNothingKept()
  await eventually(async () => expect(await filesWith(folder, written)).toEqual([]), { withinMs: 45_000 })
}, 180_000)

it('leaves nothing of a deleted exchange in any file', async () => {
  const content = `to be deleted ${randomBytes(12).toString('hex')}`
  const { length } = await loggedRows(0)
  await postChat(fleet, { model: 'sim/echo', content, apiKey: workspace.apiKey })
  await loggedRows(length + 1)
  const api = apiOf(fleet, workspace)
  const { json } = await api('GET', '/logs?limit=1')
  // What happens within minutes: a new file of the write-ahead log, and a checkpoint, after which older ones are used again.
  const checkpoint = () => pool.query('SELECT pg_switch_wal(); CHECKPOINT')
  await checkpoint()
  expect((await filesWith(folder, content)).join()).toContain('postgres/base/')
  expect((await api('DELETE', `/logs/${json.data[0].id}`)).status).toBe(200)
  await eventually(
    async () => {
      await checkpoint()
      expect(await filesWith(folder, content)).toEqual([])
    },
    { withinMs: 45_000, everyMs: 500 },
  )
}, 180_000)

it('stores no secret of requests to other surfaces', async () => {
  const post = (path: string, body: object) =>
    fetch(`${fleet.url}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const messages = [{ role: 'user', content: canary('messages') }]
  const answers = [
    await post('/messages', { model: 'sim-anthropic/echo', max_tokens: 50, system: canary('system'), messages }),
    await post('/responses', { model: 'sim/echo', input: canary('input'), instructions: canary('instructions') }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await chat('chat after other surfaces')
  await expectNothingKept()
}, 180_000)

it.each([
  ['JSON', JsonExporter],
  ['protobuf', ProtobufExporter],
])(
  'stores no secret of OTLP spans as %s',
  async (encoding, Exporter) => {
    const where = (what: string) => canary(`OTLP ${encoding} ${what}`)
    const before = (await loggedRows(0)).length
    const headers = { authorization: `Bearer ${workspace.apiKey}` }
    const exporter: SpanExporter = new Exporter({ url: `${fleet.url}/v1/traces`, headers })
    const resource = resourceFromAttributes({
      'service.name': where('service'),
      [where("resource attribute's name")]: where('resource attribute'),
    })
    const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
    const tracer = provider.getTracer(where('scope'), where("scope's version"))
    for (const attributes of [modernCall(where), spreadCall(where), otherSpan(where)]) {
      const span = tracer.startSpan(where('name'), { attributes })
      span.setAttribute(where("attribute's name"), where('attribute'))
      span.addEvent(where('event'), { [where("event attribute's name")]: where('event attribute') })
      if ('other' in attributes) span.setStatus({ code: SpanStatusCode.ERROR, message: where('status') })
      span.end()
    }
    await provider.shutdown()
    const rows = await loggedRows(before + 2)
    expect(rows.filter(({ source }) => source === 'otlp').length).toBeGreaterThanOrEqual(2)
    const { rows: spans } = await pool.query("SELECT * FROM span WHERE name = '[redacted]'")
    expect(spans.length).toBeGreaterThanOrEqual(1)
    await expectNothingKept()
  },
  180_000,
)

type Where = (what: string) => string

/** A call in OpenTelemetry's present convention. */
function modernCall(where: Where) {
  const text = (role: string) => ({ role, parts: [{ type: 'text', content: where(role) }] })
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': where('request model'),
    'gen_ai.response.model': where('response model'),
    'gen_ai.provider.name': where('provider'),
    'gen_ai.conversation.id': where('conversation'),
    'gen_ai.response.finish_reasons': [where('finish reason')],
    'gen_ai.response.id': where('response id'),
    'gen_ai.request.stop_sequences': [where('stop')],
    'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: where('instructions') }]),
    'gen_ai.input.messages': JSON.stringify([text('user')]),
    'gen_ai.output.messages': JSON.stringify([text('assistant')]),
    'gen_ai.tool.definitions': JSON.stringify([{ type: 'function', name: where('tool'), parameters: schema('OTLP') }]),
    'svc.tag': where('tag'),
  }
}

/** A call in OpenInference's convention, with an attribute for each message. */
function spreadCall(where: Where) {
  return {
    'openinference.span.kind': 'LLM',
    'llm.model_name': where('model name'),
    'llm.invocation_parameters': JSON.stringify({ stop: where('parameter') }),
    'session.id': where('session'),
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': where('input'),
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': where('output'),
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': where('called'),
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': JSON.stringify({ a: where('argument') }),
    'llm.tools.0.tool.json_schema': JSON.stringify({ name: where('tool'), parameters: {} }),
  }
}

function otherSpan(where: Where) {
  return { other: where('other'), 'gen_ai.operation.name': where('operation'), list: [where('item')] }
}

const example = (where: string) => ({
  messages: [...conversation(where), { role: 'assistant', content: `It is ${canary(`${where} answer`)}.` }],
  tools: toolsOf(where),
})

interface Uploaded {
  readonly id: string
  readonly redaction: { readonly count: number; readonly kinds: readonly string[] }
}

async function upload(path: string, body: object): Promise<Uploaded> {
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  const json = { ...headers, 'content-type': 'application/json' }
  const init = body instanceof FormData ? { headers, body } : { headers: json, body: JSON.stringify(body) }
  const response = await fetch(`${fleet.url}/v1${path}`, { method: 'POST', ...init })
  const answer = (await response.json()) as Uploaded & { readonly error?: unknown }
  expect([response.status, answer.error]).toEqual([expect.any(Number), undefined])
  return answer
}

function form(fields: Readonly<Record<string, string>>, examples: readonly object[]): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.set('file', new File([examples.map((each) => `${JSON.stringify(each)}\n`).join('')], 'examples.jsonl'))
  return data
}

it('stores no secret of an uploaded dataset, and reports their number; a file is stored unchanged', async () => {
  const title = (where: string) => ({ name: canary(`${where} name`), description: canary(`${where} description`) })
  const asJson = await upload('/datasets', { ...title('JSON'), examples: [example('JSON dataset')] })
  const lines = [example('JSONL dataset'), example('JSONL dataset, second')]
  const asLines = await upload('/datasets', form(title('JSONL'), lines))
  const file = await upload('/files', form({ purpose: 'fine-tune' }, [example('file')]))
  const ofFile = await upload('/datasets', { ...title('file dataset'), file_id: file.id })
  // An example contains the id of its call twice.
  expect(asJson.redaction).toEqual({ count: sentFrom('JSON ') + 1, kinds: ['openai_key'] })
  expect(asLines.redaction.count).toBe(sentFrom('JSONL ') + lines.length)
  expect(ofFile.redaction.count).toBe(sentFrom('file ') + 1)
  await expectNothingKept()
  const raw = await fetch(`${fleet.url}/v1/files/${file.id}/content`, {
    headers: { authorization: `Bearer ${workspace.apiKey}` },
  })
  expect(leaks([await raw.text()])).toContain('file answer')
  expect(leaks((await everyStoredText(pool, 'ratchet_logging')).map(({ text }) => text))).toContain('file answer')
}, 180_000)

it('stores no secret of imported log entries', async () => {
  const before = (await loggedRows(0)).length
  const name = (what: string) => canary(`import ${what}`)
  const entry = {
    model: name('model'),
    requested_model: name('requested model'),
    provider: name('provider'),
    alias: name('alias'),
    fallback_from: name('fallback'),
    tag: name('tag'),
    trace_id: name('trace'),
    span_id: name('span'),
    parent_span_id: name('parent span'),
    finish_reason: 'stop',
    messages: conversation('import'),
    response: { role: 'assistant', content: name('response') },
    tools: toolsOf('import'),
    response_format: { type: 'json_schema', json_schema: { name: name('format'), schema: schema('import') } },
    params: { stop: [name('stop')] },
  }
  const response = await fetch(`${fleet.url}/v1/logs/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/jsonl' },
    body: JSON.stringify(entry),
  })
  expect([response.status, await response.json()]).toMatchObject([200, { imported: 1 }])
  expect(await loggedRows(before + 1)).toHaveLength(before + 1)
  await expectNothingKept()
}, 180_000)
