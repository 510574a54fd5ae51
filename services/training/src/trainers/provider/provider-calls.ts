import { setTimeout as wait } from 'node:timers/promises'
import { CallFailed, type CollectedAnswer, collectAnswer } from '@ratchet/http/collect-answer'
import { createUpstream } from '@ratchet/http/create-upstream'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { z } from 'zod'
import { ProviderRefused, ProviderSilent } from './provider-api.ts'

export interface ProviderCallsOptions {
  /** Operators set it, never clients. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Ends every call at once. */
  readonly killed: AbortSignal
  /** How long a call is repeated that gets no answer, milliseconds. */
  readonly retryForMs: number
}

/** JSON and files over HTTP, with the key of the operator. */
export interface ProviderCalls {
  get<T extends z.ZodType>(path: string, reply: T): Promise<z.output<T>>
  /** Null instead of an error for 404. */
  find<T extends z.ZodType>(path: string, reply: T): Promise<z.output<T> | null>
  post<T extends z.ZodType>(path: string, body: object | FormData, reply: T): Promise<z.output<T>>
  /** As `post`, but sent once: for what must not be there twice. @throws ProviderSilent */
  postOnce<T extends z.ZodType>(path: string, body: object, reply: T): Promise<z.output<T>>
  close(): Promise<void>
}

const clocks = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 300_000 }
const maxBytes = 16 * 1_048_576
const retryEveryMs = 1_000
const maxMessage = 500

/** @throws ProviderRefused for a final answer that is none, and after the last repetition */
export function createProviderCalls({ baseUrl, apiKey, killed, retryForMs }: ProviderCallsOptions): ProviderCalls {
  const base = new URL(baseUrl)
  const upstream = createUpstream({ origin: base.origin, connections: 2, connectTimeoutMs: 10_000 })
  const root = base.pathname.replace(/\/$/, '')

  /** Null: there was no answer. */
  async function sendOnce(method: 'GET' | 'POST', path: string, sent?: Sent): Promise<CollectedAnswer | null> {
    const type = sent === undefined ? {} : { 'content-type': sent.type }
    const headers = { authorization: `Bearer ${apiKey}`, ...type }
    const request = { method, path: root + path, headers, body: sent?.bytes ?? null, clocks }
    return collectAnswer(upstream, request, { maxBytes, signal: killed }).catch((error: unknown) => {
      if (error instanceof CallFailed && !killed.aborted) return null
      throw error
    })
  }

  async function send(method: 'GET' | 'POST', path: string, sent?: Sent): Promise<CollectedAnswer> {
    for (let waitedMs = 0; ; waitedMs += retryEveryMs) {
      const answer = await sendOnce(method, path, sent)
      if (answer !== null && (isFinal(answer) || waitedMs >= retryForMs)) return answer
      if (waitedMs >= retryForMs) throw new ProviderRefused(503, 'the provider does not answer')
      await wait(retryEveryMs, undefined, { signal: killed })
    }
  }

  return {
    get: async (path, reply) => read(await send('GET', path), reply),
    async find(path, reply) {
      const answer = await send('GET', path)
      return answer.status === 404 ? null : read(answer, reply)
    },
    post: async (path, body, reply) => read(await send('POST', path, await encoded(body)), reply),
    async postOnce(path, body, reply) {
      const answer = await sendOnce('POST', path, await encoded(body))
      if (answer === null || !isFinal(answer)) {
        throw new ProviderSilent(answer?.status ?? 503, 'the provider does not answer')
      }
      return read(answer, reply)
    },
    close: () => upstream.destroy(),
  }
}

function isFinal({ status }: CollectedAnswer): boolean {
  return status !== 429 && status < 500
}

interface Sent {
  readonly bytes: Buffer
  readonly type: string
}

async function encoded(body: object | FormData): Promise<Sent> {
  if (!(body instanceof FormData)) return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' }
  const form = new Response(body)
  return { bytes: Buffer.from(await form.arrayBuffer()), type: form.headers.get('content-type') ?? '' }
}

function read<T extends z.ZodType>({ status, body }: CollectedAnswer, reply: T): z.output<T> {
  const text = body.toString()
  if (status >= 300) throw new ProviderRefused(status, messageOf(text) ?? `status ${status}`)
  return reply.parse(parseJson(text)) as z.output<T>
}

/** Errors of providers have `error.message`, `message`, or a text in `error`. */
function messageOf(text: string): string | null {
  const body = parseJson(text)
  if (!isObject(body)) return null
  const { error, message } = body
  const found = isObject(error) ? error.message : (error ?? message)
  return typeof found === 'string' ? found.slice(0, maxMessage) : null
}
