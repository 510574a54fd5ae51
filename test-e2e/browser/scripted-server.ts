import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

/** A reply by method and path, such as `GET /api/me`. A function is called with the parsed body, and may take its time. */
export type Script = Readonly<Record<string, unknown | ((body: unknown) => unknown)>>

/** A reply with another status than 200. */
export interface ScriptedAnswer {
  readonly status: number
  readonly body: unknown
}

interface ScriptedCall {
  readonly call: string
  readonly body: string
  readonly idempotencyKey: string | undefined
}

export interface ScriptedServer {
  readonly url: string
  /** Every call of the API, by method and path. */
  readonly calls: readonly ScriptedCall[]
  readonly close: () => Promise<void>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** The policy under which the pages run in production. */
function policyWith(nonce: string): string {
  const own = "'self'"
  return [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own} 'nonce-${nonce}'`,
    `img-src ${own} data:`,
    `font-src ${own}`,
    `connect-src ${own}`,
    `media-src ${own}`,
    `form-action ${own}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Serves built pages under the production policy, and scripted replies instead of a fleet. */
export async function startScriptedServer(folder: string, page: string, script: Script): Promise<ScriptedServer> {
  const calls: ScriptedCall[] = []
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://local.invalid')
    if (!pathname.startsWith('/api/')) return sendFile(response, folder, page, pathname)
    const body = await textOf(request)
    const call = `${request.method} ${pathname}`
    const key = request.headers['idempotency-key']
    calls.push({ call, body, idempotencyKey: typeof key === 'string' ? key : undefined })
    if (pathname.endsWith('/live')) return openStream(response)
    await sendReply(response, script[call], body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, calls, close }
}

function sendFile(response: ServerResponse, folder: string, page: string, pathname: string): void {
  const file = path.join(folder, path.normalize(pathname))
  const isFile = file.startsWith(folder) && statSync(file, { throwIfNoEntry: false })?.isFile()
  if (isFile) {
    response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' })
    response.end(readFileSync(file))
    return
  }
  const nonce = randomBytes(16).toString('base64')
  const html = readFileSync(path.join(folder, page), 'utf8').replaceAll('__CSP_NONCE__', nonce)
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policyWith(nonce) })
  response.end(html)
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': open\n\n')
}

async function sendReply(response: ServerResponse, scripted: unknown, body: string): Promise<void> {
  const value = await (typeof scripted === 'function' ? scripted(body === '' ? null : JSON.parse(body)) : scripted)
  const answer = isAnswer(value) ? value : { status: 200, body: value }
  const { status, body: json } = value === undefined ? notScripted : answer
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(json))
}

function isAnswer(value: unknown): value is ScriptedAnswer {
  return (
    typeof value === 'object' &&
    value !== null &&
    'status' in value &&
    'body' in value &&
    Object.keys(value).length === 2
  )
}

/** The envelope of an error. */
export function refusal(status: number, code: string, message: string): ScriptedAnswer {
  return {
    status,
    body: { error: { message, type: 'invalid_request_error', code, param: null, request_id: 'req_scripted' } },
  }
}

const notScripted = refusal(404, 'not_found', 'This call has no scripted reply.')

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
