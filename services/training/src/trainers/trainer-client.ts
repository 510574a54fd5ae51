import { setTimeout as wait } from 'node:timers/promises'
import { type TrainerCall, type TrainerErrorCode, trainerErrors } from '@ratchet/contracts/trainer-protocol'
import { CallFailed, type CollectedAnswer, collectAnswer } from '@ratchet/http/collect-answer'
import { createUpstream } from '@ratchet/http/create-upstream'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { z } from 'zod'

/** The calls of a trainer over HTTP. */
export interface TrainerClient {
  /** @throws TrainerCallRefused for a final answer that is none, or when there was no answer for too long */
  call<C extends TrainerCall>(call: C, body: z.input<C['body']>): Promise<z.output<C['reply']>>
  /** Reads a file. The URL may be relative. @throws TrainerCallRefused */
  download(url: string): Promise<Buffer>
  /** Sends a file. @throws TrainerCallRefused */
  upload(url: string, headers: Readonly<Record<string, string>>, bytes: Buffer): Promise<void>
  close(): Promise<void>
}

/** A call that was refused, or never answered: then the status is 0. */
export class TrainerCallRefused extends Error {
  override name = 'TrainerCallRefused'
  readonly status: number
  readonly code: TrainerErrorCode | null

  constructor(status: number, code: string | null) {
    super(`the service answered ${status} ${code ?? ''}`)
    this.status = status
    this.code = code !== null && code in trainerErrors ? (code as TrainerErrorCode) : null
  }
}

export interface TrainerClientOptions {
  readonly url: string
  readonly token: string
  /** Ends every call at once, as if the process had been killed. */
  readonly killed: AbortSignal
  /** How long a call is repeated that gets no answer, milliseconds. */
  readonly retryForMs: number
}

const clocks = { firstByteMs: 30_000, idleMs: 30_000, totalMs: 120_000 }
const maxBytes = 512 * 1024 * 1024
const retryEveryMs = 250

export function createTrainerClient({ url, token, killed, retryForMs }: TrainerClientOptions): TrainerClient {
  const upstreams = new Map<string, ReturnType<typeof createUpstream>>()
  const upstreamOf = (origin: string) => {
    const upstream = upstreams.get(origin) ?? createUpstream({ origin, connections: 2, connectTimeoutMs: 5_000 })
    upstreams.set(origin, upstream)
    return upstream
  }

  async function once(target: URL, request: Sent): Promise<CollectedAnswer> {
    killed.throwIfAborted()
    const sent = { ...request, path: target.pathname + target.search, clocks }
    return await collectAnswer(upstreamOf(target.origin), sent, { maxBytes, signal: killed })
  }

  /** Repeats what may have been lost on the way. */
  async function send(reference: string, request: Sent): Promise<CollectedAnswer> {
    const target = new URL(reference, url)
    for (let waitedMs = 0; ; waitedMs += retryEveryMs) {
      const answer = await once(target, request).catch((error: unknown) => {
        if (error instanceof CallFailed && !killed.aborted) return null
        throw error
      })
      const isFinal = answer !== null && answer.status !== 429 && answer.status < 500
      if (isFinal && answer.status < 300) return answer
      if (isFinal || waitedMs >= retryForMs) throw new TrainerCallRefused(answer?.status ?? 0, codeOf(answer))
      await wait(retryEveryMs, undefined, { signal: killed })
    }
  }

  return {
    async call(call, body) {
      const authorization = `Bearer ${token}`
      const { body: answer } =
        call.method === 'get'
          ? await send(call.path, { method: 'GET', headers: { authorization }, body: null })
          : await send(call.path, {
              method: 'POST',
              headers: { authorization, 'content-type': 'application/json' },
              body: Buffer.from(JSON.stringify(body)),
            })
      return call.reply.parse(parseJson(answer.toString())) as z.output<(typeof call)['reply']>
    },
    download: async (reference) => (await send(reference, { method: 'GET', headers: {}, body: null })).body,
    async upload(reference, headers, bytes) {
      await send(reference, {
        method: 'PUT',
        headers: { ...headers, 'content-length': String(bytes.length) },
        body: bytes,
      })
    },
    async close() {
      await Promise.all([...upstreams.values()].map((upstream) => upstream.destroy()))
    },
  }
}

interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

function codeOf(answer: CollectedAnswer | null): string | null {
  const body = answer === null ? null : parseJson(answer.body.toString())
  const error = isObject(body) ? body.error : null
  return isObject(error) && typeof error.code === 'string' ? error.code : null
}
