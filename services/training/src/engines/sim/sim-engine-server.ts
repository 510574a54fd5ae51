import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { createUpstream } from '@ratchet/http/create-upstream'
import { startUpstreamCall } from '@ratchet/http/upstream-call'
import { parseJson } from '@ratchet/service-kit/values/json'
import { z } from 'zod'
import { answerOf } from '../../trainers/sim/sim-model.ts'
import { readSimAdapter, type SimAdapter } from './sim-adapter.ts'

export interface SimEngineServerOptions {
  /** Name of the base in requests, which the simulated provider answers. */
  readonly baseModel: string
  readonly maxAdapters: number
  readonly maxContextLength: number | null
  /** The simulated provider, which answers what is no probe. */
  readonly provider: ReturnType<typeof createUpstream>
  readonly now: () => Date
  /** Which adapter answers in place of the one that a request names; null: the base. For engines with a bug. */
  readonly answering?: (asked: SimAdapter, loaded: readonly SimAdapter[]) => SimAdapter | null
}

export interface SimEngineServer {
  readonly address: string
  /** Resolves when requests have ended; `now` breaks them. */
  stop(how: 'gracefully' | 'now'): Promise<void>
}

const Loading = z.looseObject({ lora_name: z.string().min(1), lora_path: z.string().min(1) })
const Unloading = z.looseObject({ lora_name: z.string() })
const Message = z.looseObject({ content: z.unknown() })
const Chat = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  return_token_ids: z.boolean().nullish(),
  max_tokens: z.int().min(1).nullish(),
})

/** A refusal as vLLM writes it. */
class Refused extends Error {
  readonly status: number
  readonly type: string

  constructor(status: number, type: string, message: string) {
    super(message)
    this.status = status
    this.type = type
  }
}

/** Requests that fill the KV cache of a simulated engine. */
const fullCache = 64

const clocks = { firstByteMs: 600_000, idleMs: 600_000, totalMs: 3_600_000 }

/**
 * vLLM's interface without a model, on loopback: questions with token ids are answered by the hash of the adapter, as the
 * simulated trainer answers its probes, and all others by the simulated provider, with the quality that the trainer gave the
 * adapter.
 */
export async function startSimEngineServer(options: SimEngineServerOptions): Promise<SimEngineServer> {
  const engine = new SimEngine(options)
  const server = createServer((request, response) => void engine.handle(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: (how) => closeServer(server, how),
  }
}

async function closeServer(server: Server, how: 'gracefully' | 'now'): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  if (how === 'now') server.closeAllConnections()
  else server.closeIdleConnections()
  await closed
}

class SimEngine {
  readonly #options: SimEngineServerOptions
  readonly #adapters = new Map<string, SimAdapter>()
  /** Requests in flight by adapter. */
  readonly #requests = new Map<string, number>()
  /** Requests in flight, of the base too. */
  #forwarding = 0

  constructor(options: SimEngineServerOptions) {
    this.#options = options
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response)
    } catch (error) {
      const { status, type, message } =
        error instanceof Refused ? error : new Refused(400, 'BadRequestError', 'The request cannot be read.')
      sendJson(response, { error: { message, type, param: null, code: status } }, status)
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://engine').pathname
    switch (`${request.method} ${path}`) {
      case 'GET /health':
        return sendText(response, '')
      case 'GET /metrics':
        return sendText(response, this.#metrics())
      case 'GET /v1/models':
        return sendJson(response, this.#models())
      case 'POST /v1/load_lora_adapter':
        return sendText(response, await this.#load(Loading.parse(await readBody(request))))
      case 'POST /v1/unload_lora_adapter':
        return sendText(response, this.#unload(Unloading.parse(await readBody(request)).lora_name))
      case 'POST /v1/chat/completions':
        return await this.#chat(await readBody(request), response)
      default:
        throw new Refused(404, 'NotFoundError', 'Not Found')
    }
  }

  #models(): object {
    const { baseModel, maxContextLength } = this.#options
    const names = [baseModel, ...this.#adapters.keys()]
    const data = names.map((id) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'simulated',
      parent: id === baseModel ? null : baseModel,
      max_model_len: maxContextLength,
    }))
    return { object: 'list', data }
  }

  async #load({ lora_name: name, lora_path: folder }: z.output<typeof Loading>): Promise<string> {
    if (this.#adapters.has(name) || name === this.#options.baseModel) {
      throw new Refused(400, 'InvalidUserInput', `The lora adapter '${name}' has already been loaded.`)
    }
    if (this.#adapters.size >= this.#options.maxAdapters) {
      throw new Refused(400, 'BadRequestError', 'There is no place for another adapter.')
    }
    const adapter = await readSimAdapter(folder).catch(() => null)
    if (adapter === null) throw new Refused(404, 'NotFoundError', `No adapter found for '${name}' at '${folder}'.`)
    this.#adapters.set(name, adapter)
    return `Success: LoRA adapter '${name}' added successfully.`
  }

  #unload(name: string): string {
    if (!this.#adapters.delete(name)) {
      throw new Refused(404, 'NotFoundError', `The lora adapter '${name}' cannot be found.`)
    }
    return `Success: LoRA adapter '${name}' removed successfully.`
  }

  /** As vLLM writes it. */
  #metrics(): string {
    const names = [...this.#requests.keys()].sort().join(',')
    const { maxAdapters, now } = this.#options
    const labels = `max_lora="${maxAdapters}",running_lora_adapters="${names}",waiting_lora_adapters=""`
    const info = `# TYPE vllm:lora_requests_info gauge\nvllm:lora_requests_info{${labels}} ${now().getTime() / 1_000}\n`
    const used = Math.min(1, this.#forwarding / fullCache)
    return `${info}# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{engine="0"} ${used}\n`
  }

  async #chat(body: unknown, response: ServerResponse): Promise<void> {
    const chat = Chat.parse(body)
    const asked = this.#adapters.get(chat.model)
    if (asked === undefined && chat.model !== this.#options.baseModel) {
      throw new Refused(404, 'NotFoundError', `The model \`${chat.model}\` does not exist.`)
    }
    const answering = asked === undefined ? null : this.#answering(asked)
    if (chat.return_token_ids === true) {
      return sendJson(response, probeReply(chat, answering?.identity ?? `base ${this.#options.baseModel}`))
    }
    const ended = asked === undefined ? () => {} : this.#count(chat.model)
    this.#forwarding += 1
    try {
      const model = answering?.servedAs ?? this.#options.baseModel
      const { cache_salt: _salt, ...rest } = chat
      await this.#forward(Buffer.from(JSON.stringify({ ...rest, model })), response)
    } finally {
      this.#forwarding -= 1
      ended()
    }
  }

  #answering(asked: SimAdapter): SimAdapter | null {
    const { answering } = this.#options
    return answering === undefined ? asked : answering(asked, [...this.#adapters.values()])
  }

  #count(name: string): () => void {
    this.#requests.set(name, (this.#requests.get(name) ?? 0) + 1)
    return () => {
      const left = (this.#requests.get(name) ?? 1) - 1
      if (left > 0) this.#requests.set(name, left)
      else this.#requests.delete(name)
    }
  }

  async #forward(body: Buffer, response: ServerResponse): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const headers = { 'content-type': 'application/json', authorization: 'Bearer simulated' }
    const request = { method: 'POST', path: '/v1/chat/completions', headers, body, clocks } as const
    const call = startUpstreamCall(this.#options.provider, request, {
      onHead: (status, { 'content-type': type = 'application/json' }) =>
        response.writeHead(status, { 'content-type': type }),
      onData(chunk) {
        if (!response.write(chunk)) call.pause()
      },
      onEnd: () => response.end(resolve),
      onFailure() {
        // A client sees a broken answer as one, not as a short one.
        if (response.headersSent) response.destroy()
        else sendJson(response, { error: { message: 'no answer', type: 'InternalServerError', code: 502 } }, 502)
        resolve()
      },
    })
    response.on('drain', () => call.resume())
    response.once('close', () => {
      call.abort()
      resolve()
    })
    await promise
  }
}

function probeReply({ model, messages, max_tokens: maxTokens }: z.output<typeof Chat>, weights: string): object {
  const question = messages.at(-1)?.content
  const answer = answerOf(weights, typeof question === 'string' ? question : JSON.stringify(question))
  const count = Math.min(maxTokens ?? answer.token_ids.length, answer.token_ids.length)
  const content = answer.logprobs.slice(0, count).map((logprob, index) => ({ token: String(index), logprob }))
  const tokenIds = answer.token_ids.slice(0, count)
  const message = { role: 'assistant', content: tokenIds.join(' ') }
  const choice = { index: 0, message, finish_reason: 'length', logprobs: { content }, token_ids: tokenIds }
  const usage = { prompt_tokens: 1, completion_tokens: count, total_tokens: count + 1 }
  return { id: 'chatcmpl-probe', object: 'chat.completion', created: 0, model, choices: [choice], usage }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  return parseJson((await buffer(request)).toString())
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
}

function sendJson(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
