import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { mountedCatalog } from '../mounted-catalog.ts'
import type { OnStop } from './describe-fault.ts'

const nextTurn = promisify(setImmediate)

export type UpstreamHandler = (request: IncomingMessage, response: ServerResponse) => unknown

/** A provider that sends scripted bytes. */
export interface ScriptedUpstream {
  /** Base URL with `/v1`, as in a catalog. */
  readonly baseUrl: string
  /** Folder for CATALOG_DIR; its only model is `scripted/chat`. */
  readonly catalogFolder: string
  /** Number of requests since the last script. */
  readonly calls: number
  /** Number of answers that have not ended, and whose connection is open. */
  readonly open: number
  /** Sets the handler of further requests. */
  answer(handler: UpstreamHandler): void
}

/** Starts the provider on a free port of 127.0.0.1. */
export async function startScriptedUpstream(onStop: OnStop): Promise<ScriptedUpstream> {
  let handler: UpstreamHandler = (_request, response) => response.writeHead(500).end()
  let calls = 0
  let open = 0
  const server = createServer((request, response) => {
    calls += 1
    open += 1
    response.on('error', () => undefined).once('close', () => (open -= 1))
    request.resume().once('end', () => handler(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onStop(async () => void server.close().closeAllConnections())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const catalog = await mountedCatalog({
    providers: [{ id: 'scripted', base_url: baseUrl }],
    models: [{ id: 'scripted/chat' }],
  })
  onStop(catalog.remove)
  return {
    baseUrl,
    catalogFolder: catalog.folder,
    get calls() {
      return calls
    },
    get open() {
      return open
    },
    answer(next) {
      handler = next
      calls = 0
    },
  }
}

/** Answers 200 with these bytes as an event stream, each piece in a separate write. */
export function streaming(pieces: readonly (string | Buffer)[], contentType = 'text/event-stream'): UpstreamHandler {
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': contentType })
    for (const piece of pieces) {
      if (response.destroyed) return
      response.write(piece)
      await nextTurn()
    }
    response.end()
  }
}

export interface ChunkFields {
  readonly delta?: object
  readonly finish_reason?: string | null
  readonly usage?: object | null
}

/** One chunk of a chat completion, as JSON; without a delta it has no choices. */
export function chatChunk({ delta, finish_reason = null, ...rest }: ChunkFields): string {
  const choices = delta === undefined ? [] : [{ index: 0, delta, finish_reason }]
  const fields = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  return JSON.stringify({ ...fields, choices, ...rest })
}
