import { type ChatCall, postChat } from '../clients.ts'
import type { Fleet } from '../fleet.ts'
import type { Answer } from './evidence.ts'

/** The outcome of one request, with everything that the client received. */
export interface Asked extends Answer {
  /** The received part of the body. */
  readonly text: string
  readonly headers: Headers
  /** Time from the first sent byte to the last received one, milliseconds. */
  readonly ms: number
  /** Why the answer is missing or incomplete; null for an answer that ended according to HTTP. */
  readonly failure: string | null
}

/** An answer that has begun. */
export interface Begun {
  readonly tag: string
  readonly response: Response
  /** Reads the rest of the answer. Never rejects: a broken answer has `whole` false. */
  read(): Promise<Asked>
}

/** Clients that record the outcome of every request for the checks after the fault. */
export interface FaultClients {
  readonly answers: readonly Answer[]
  /** Sends a request and reads the complete answer. Never rejects: without an answer the status is null. */
  ask(call: ChatCall): Promise<Asked>
  /** Sends a request and lets the caller read the body. @throws the error of `fetch` when no answer begins */
  begin(call: ChatCall): Promise<Begun>
  /** Sends requests one after the other while `during` runs; resolves with their outcomes. */
  askDuring(call: ChatCall, during: () => Promise<unknown>): Promise<readonly Asked[]>
}

export function createFaultClients(fleet: () => Fleet): FaultClients {
  const answers: Answer[] = []
  let sent = 0
  const begin = async (call: ChatCall, tag: string): Promise<Begun> => {
    const startedAt = performance.now()
    const response = await postChat(fleet(), { ...call, body: { user: tag, ...call.body } })
    const keyed = Object.keys(call.headers ?? {}).some((name) => name.toLowerCase() === 'idempotency-key')
    return { tag, response, read: async () => kept(await readAll(response, { tag, startedAt, keyed })) }
  }
  const kept = (asked: Asked): Asked => {
    const { tag, status, requestId, whole, free } = asked
    answers.push({ tag, status, requestId, whole, free })
    return asked
  }
  const nextTag = () => {
    sent += 1
    return `fault-${sent}`
  }
  const clients: FaultClients = {
    answers,
    begin: (call) => begin(call, nextTag()),
    async ask(call) {
      const tag = nextTag()
      try {
        return await (await begin(call, tag)).read()
      } catch (error) {
        const nothing = { status: null, requestId: null, whole: false, free: false, text: '', ms: 0 }
        return kept({ tag, ...nothing, headers: new Headers(), failure: reasonOf(error) })
      }
    },
    async askDuring(call, during) {
      const asked: Asked[] = []
      let over = false
      const load = (async () => {
        while (!over) asked.push(await clients.ask(call))
      })()
      try {
        await during()
      } finally {
        over = true
        await load
      }
      return asked
    },
  }
  return clients
}

interface Question {
  readonly tag: string
  readonly startedAt: number
  readonly keyed: boolean
}

async function readAll(response: Response, { tag, startedAt, keyed }: Question): Promise<Asked> {
  const { status, headers } = response
  const { text, failure } = await readText(response)
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  return {
    tag,
    status,
    requestId: headers.get('x-request-id'),
    whole: failure === null && (!isStream || text.trimEnd().endsWith('data: [DONE]')),
    free: keyed || headers.get('x-svc-cache') === 'hit',
    text,
    headers,
    ms: performance.now() - startedAt,
    failure,
  }
}

/** Reads a body, also one whose connection breaks. */
async function readText(response: Response): Promise<{ text: string; failure: string | null }> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    return { text, failure: null }
  } catch (error) {
    return { text, failure: reasonOf(error) }
  }
}

/** `fetch failed: read ECONNRESET` */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: Partial<Error> }
  return cause?.message === undefined ? message : `${message}: ${cause.message}`
}
