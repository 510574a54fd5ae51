import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'

/** The scripted answer to a request; `hang up` breaks the connection. */
export type Scripted =
  | 'hang up'
  | { readonly status?: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }

export interface SeenRequest {
  /** `GET /v1/evals/eval_…?…` */
  readonly line: string
  readonly authorization: string | undefined
  readonly idempotencyKey: string | undefined
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly body: unknown
}

export interface ScriptedApi {
  readonly baseUrl: string
  readonly seen: readonly SeenRequest[]
  /** Sets the answers to a method and path, in order. The last one is repeated. */
  answers(request: string, ...script: readonly Scripted[]): void
  /** Called with each request before it is answered. */
  onRequest(callBack: (seen: SeenRequest) => void): void
  stop(): Promise<void>
}

/** A real server with scripted answers. */
export async function startScriptedApi(): Promise<ScriptedApi> {
  const scripts = new Map<string, Scripted[]>()
  const seen: SeenRequest[] = []
  const callBacks: ((seen: SeenRequest) => void)[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const one = {
      line: `${method} ${url}`,
      authorization: headers.authorization,
      idempotencyKey: headers['idempotency-key'] as string | undefined,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      body: JSON.parse((await text(request)) || 'null'),
    }
    seen.push(one)
    for (const callBack of callBacks) callBack(one)
    const script = scripts.get(`${method} ${url.split('?')[0]}`) ?? []
    const answer = (script.length > 1 ? script.shift() : script[0]) ?? { status: 404, body: 'not scripted' }
    if (answer === 'hang up') request.socket.destroy()
    else response.writeHead(answer.status ?? 200, answer.headers).end(bodyText(answer.body))
  })
  return {
    baseUrl: await listen(server),
    seen,
    answers: (request, ...script) => scripts.set(request, [...script]),
    onRequest: (callBack) => callBacks.push(callBack),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An error answer of the API. */
export function refusal(
  status: number,
  error: { message: string; code: string | null; param?: string; details?: Record<string, unknown> },
): Scripted {
  return { status, body: { error: { type: 'invalid_request_error', param: null, request_id: 'req_1', ...error } } }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
