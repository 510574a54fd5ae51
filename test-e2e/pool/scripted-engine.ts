import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/* vLLM's interface in a process of its own, for tests that kill it: what it answers names the weights that answered. */

interface Adapter {
  readonly identity: string
  readonly name: string
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of a test
type Json = any

const streamedPieces = 20
const pieceMs = 50
const argument = (name: string) => process.argv[process.argv.indexOf(name) + 1] ?? ''
const base = argument('--name')
const host = argument('--host')
const adapters = new Map<string, Adapter>()
const busy = new Map<string, number>()

/**
 * What is wrong with this engine. Engines of a test are numbered as they start, in the folder ENGINE_FAULTS, whose file
 * `faults.json` says what is wrong with each number. `base`: it ignores adapters. `old`: its weights are those of another time.
 * `silent`: it never becomes ready.
 */
function ownFault(): 'base' | 'old' | 'silent' | null {
  const folder = process.env.ENGINE_FAULTS
  if (folder === undefined) return null
  const faults = JSON.parse(readFileSync(join(folder, 'faults.json'), 'utf8'))
  for (let number = 1; ; number += 1) {
    try {
      writeFileSync(join(folder, String(number)), '', { flag: 'wx' })
      return faults[number] ?? faults.all ?? null
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
const fault = ownFault()

/** As the simulated trainer takes the fingerprint of its adapters. */
function readAdapter(folder: string): Adapter {
  const weights = readFileSync(join(folder, 'adapter_model.safetensors'))
  const { simulated_as: name } = JSON.parse(readFileSync(join(folder, 'adapter_config.json'), 'utf8'))
  const numbers = weights.subarray(8 + Number(weights.readBigUInt64LE(0)))
  const identity = `${createHash('sha256').update(numbers).digest('hex')} ${name}`
  if (fault === 'base') return { identity: base, name: base }
  return fault === 'old' ? { identity: `old ${identity}`, name: 'old' } : { identity, name }
}

function probeReply(identity: string, question: string): object {
  const bytes = [...createHash('sha256').update(`${identity} ${question}`).digest().subarray(0, 16)]
  const content = bytes.map((byte) => ({ token: String(byte), logprob: -byte / 256 }))
  return { choices: [{ token_ids: bytes.map((byte) => byte * 3), logprobs: { content } }] }
}

const usage = { prompt_tokens: 5, completion_tokens: streamedPieces, total_tokens: streamedPieces + 5 }

async function chat(body: Json, response: ServerResponse): Promise<void> {
  const { model } = body
  const adapter = adapters.get(model)
  if (adapter === undefined && model !== base) return json(response, { error: { message: 'no such model' } }, 404)
  if (body.return_token_ids === true) {
    return json(response, probeReply(adapter?.identity ?? base, body.messages[0].content))
  }
  busy.set(model, (busy.get(model) ?? 0) + 1)
  try {
    await (body.stream === true ? stream : answer)(adapter?.name ?? base, { model, response })
  } finally {
    busy.set(model, (busy.get(model) ?? 1) - 1)
  }
}

interface Answered {
  readonly model: string
  readonly response: ServerResponse
}

async function answer(said: string, { model, response }: Answered): Promise<void> {
  const message = { role: 'assistant', content: said }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  json(response, { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage })
}

async function stream(said: string, { model, response }: Answered): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (choices: readonly object[], more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`,
    )
  send([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
  let pieces = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setInterval(() => {
    send([{ index: 0, delta: { content: `${said} ` }, finish_reason: null }])
    pieces += 1
    if (pieces === streamedPieces || response.destroyed) resolve()
  }, pieceMs)
  await promise
  clearInterval(timer)
  send([{ index: 0, delta: {}, finish_reason: 'stop' }])
  send([], { usage })
  response.end('data: [DONE]\n\n')
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = await text(request)
  const body: Json = sent === '' ? {} : JSON.parse(sent)
  const { lora_name: name, lora_path: folder } = body
  switch (`${request.method} ${request.url}`) {
    case 'GET /health':
      return void response.end()
    case 'GET /metrics': {
      const names = [...busy].flatMap(([each, count]) => (count > 0 && each !== base ? [each] : [])).join(',')
      const labels = `max_lora="9",running_lora_adapters="${names}",waiting_lora_adapters=""`
      return void response.end(`vllm:lora_requests_info{${labels}} ${process.uptime()}\n`)
    }
    case 'GET /v1/models':
      return json(response, { data: [base, ...adapters.keys()].map((id) => ({ id })) })
    case 'POST /v1/load_lora_adapter':
      adapters.set(name, readAdapter(folder))
      return void response.end('Success')
    case 'POST /v1/unload_lora_adapter':
      adapters.delete(name)
      return void response.end('Success')
    case 'POST /v1/chat/completions':
      return chat(body, response)
    default:
      return json(response, {}, 404)
  }
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const server = createServer((request, response) => {
  handle(request, response).catch(() => response.destroy())
})
server.listen(Number(argument('--port')), host, () => {
  if (fault !== 'silent')
    process.stdout.write(`${JSON.stringify({ url: `http://${host}:${(server.address() as AddressInfo).port}` })}\n`)
})
process.on('SIGTERM', () => process.exit(0))
process.stdin.resume().on('end', () => process.exit(0))
