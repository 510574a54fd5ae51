import { CallFailed, type CollectedAnswer, collectAnswer } from '@ratchet/http/collect-answer'
import { createUpstream } from '@ratchet/http/create-upstream'
import { parseJson } from '@ratchet/service-kit/values/json'
import { z } from 'zod'
import type { ProbeAnswer } from '../fingerprints/compare-fingerprint.ts'
import { type AdapterRequests, adapterRequestsOf } from './adapter-requests.ts'
import { cacheUsedOf } from './cache-used.ts'

/** vLLM's HTTP interface, as far as engines are managed by it. Each call but `ask` may be repeated. */
export interface EngineClient {
  /** Whether it answers, and is well. */
  isHealthy(): Promise<boolean>
  /** Names of the base model and of the adapters that are loaded. @throws EngineFailed */
  models(): Promise<readonly string[]>
  /** Does nothing when the name is loaded. @throws EngineFailed */
  load(name: string, folder: string): Promise<void>
  /** Does nothing when the name is not loaded. @throws EngineFailed */
  unload(name: string): Promise<void>
  /** Answers a question with at most `maxTokens` of the likeliest tokens. @throws EngineFailed */
  ask(model: string, question: string, maxTokens: number): Promise<ProbeAnswer>
  /** The adapters that answer requests now; null when the engine does not say. @throws EngineFailed */
  requests(): Promise<AdapterRequests | null>
  /** Share of its KV cache that is in use; null when the engine does not say. @throws EngineFailed */
  cacheUsed(): Promise<number | null>
  close(): Promise<void>
}

/** A call that was refused, with its status; 0 when it was not answered. */
export class EngineFailed extends Error {
  override name = 'EngineFailed'
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

export interface EngineClientOptions {
  /** `http://host:port` */
  readonly address: string
  /** Ends every call at once. */
  readonly stopped?: AbortSignal | undefined
}

/** Large adapters are read from disk in seconds. A question is answered in less than one, behind the requests of others. */
const clocks = {
  health: { firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 },
  call: { firstByteMs: 60_000, idleMs: 60_000, totalMs: 120_000 },
}
const maxBytes = 4 * 1_048_576
const maxMessage = 300

const Models = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) })
const Logprobs = z.looseObject({ content: z.array(z.looseObject({ logprob: z.number() })) })
const Answer = z.looseObject({
  choices: z.tuple([z.looseObject({ token_ids: z.array(z.int()), logprobs: Logprobs })]),
})

export function createEngineClient({ address, stopped }: EngineClientOptions): EngineClient {
  const upstream = createUpstream({ origin: address, connections: 4, connectTimeoutMs: 3_000 })
  const options = { maxBytes, ...(stopped === undefined ? {} : { signal: stopped }) }

  async function send(method: 'GET' | 'POST', path: string, body?: object): Promise<CollectedAnswer> {
    const request = {
      method,
      path,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      clocks: path === '/health' ? clocks.health : clocks.call,
    }
    return await collectAnswer(upstream, request, options).catch((error: unknown) => {
      if (error instanceof CallFailed) throw new EngineFailed(0, `${path}: ${error.message}`, { cause: error })
      throw error
    })
  }

  function read<T extends z.ZodType>(path: string, { status, body }: CollectedAnswer, reply: T): z.output<T> {
    if (status >= 300) throw refusal(path, status, body)
    const parsed = reply.safeParse(parseJson(body.toString()))
    if (!parsed.success) throw new EngineFailed(status, `${path}: an answer that is none`, { cause: parsed.error })
    return parsed.data
  }

  const models = async () => read('/v1/models', await send('GET', '/v1/models'), Models).data.map(({ id }) => id)

  return {
    async isHealthy() {
      return await send('GET', '/health').then(
        ({ status }) => status < 300,
        () => false,
      )
    },
    models,
    async load(name, folder) {
      const path = '/v1/load_lora_adapter'
      const { status, body } = await send('POST', path, { lora_name: name, lora_path: folder })
      // vLLM refuses a name that is loaded.
      if (status >= 300 && !(await models()).includes(name)) throw refusal(path, status, body)
    },
    async unload(name) {
      const path = '/v1/unload_lora_adapter'
      const { status, body } = await send('POST', path, { lora_name: name })
      if (status >= 300 && status !== 404) throw refusal(path, status, body)
    },
    async ask(model, question, maxTokens) {
      const path = '/v1/chat/completions'
      const messages = [{ role: 'user', content: question }]
      const greedy = { temperature: 0, max_tokens: maxTokens, logprobs: true, return_token_ids: true }
      const { choices } = read(path, await send('POST', path, { model, messages, ...greedy }), Answer)
      const [{ token_ids: tokenIds, logprobs }] = choices
      return { tokenIds, logprobs: logprobs.content.map(({ logprob }) => logprob) }
    },
    async requests() {
      const { status, body } = await send('GET', '/metrics')
      return status >= 300 ? null : adapterRequestsOf(body.toString())
    },
    async cacheUsed() {
      const { status, body } = await send('GET', '/metrics')
      return status >= 300 ? null : cacheUsedOf(body.toString())
    },
    close: () => upstream.destroy(),
  }
}

function refusal(path: string, status: number, body: Buffer): EngineFailed {
  return new EngineFailed(status, `${path}: ${status} ${body.toString().slice(0, maxMessage)}`)
}
