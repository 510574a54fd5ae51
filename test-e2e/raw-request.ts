import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends raw bytes, and reads the first answer until the server closes the connection or stops sending. */
export async function rawRequest(url: string, bytes: string | Buffer, { timeoutMs = 3_000 } = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('latin1')
  socket.setTimeout(timeoutMs, () => socket.destroy())
  socket.on('data', (chunk: string) => {
    text += chunk
    if (isWhole(text)) socket.destroy()
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return parseRawAnswer(text)
}

/** Parts of a raw request; absent ones are valid. */
export interface RawChat {
  readonly target?: string
  readonly method?: string
  /** Complete header lines; the usual ones are added unless they are given. */
  readonly headers?: readonly string[]
  readonly body?: string | Buffer
}

/** The exact bytes of a client's request with this key. */
export function rawChatBytes(apiKey: string, chat: RawChat): Buffer {
  const { target = '/v1/chat/completions', method = 'POST', headers = [], body = '' } = chat
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body)
  const has = (name: string) => headers.some((header) => header.toLowerCase().startsWith(`${name}:`))
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...(has('host') ? [] : ['Host: gateway.test']),
    ...(has('authorization') ? [] : [`Authorization: Bearer ${apiKey}`]),
    ...(has('content-type') ? [] : ['Content-Type: application/json']),
    ...(has('content-length') || has('transfer-encoding') ? [] : [`Content-Length: ${bytes.length}`]),
    ...headers,
  ].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), bytes])
}

/** Sends bytes and reads any number of answers until the server closes the connection or sends nothing for `quietMs`. */
export async function rawExchange(url: string, bytes: string | Buffer, { quietMs = 1_000 } = {}): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  socket.setTimeout(quietMs, () => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  return end !== -1 && length !== undefined && text.length >= end + 4 + Number(length)
}

/** Parses the first answer. */
export function parseRawAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: text.slice(end + 4) }
}
