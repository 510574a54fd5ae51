import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends bytes that no HTTP client would send, and reads the first answer until the server closes or falls silent. */
export async function rawRequest(url: string, bytes: string | Buffer, { patienceMs = 3_000 } = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('latin1')
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.on('data', (chunk: string) => {
    text += chunk
    if (isWhole(text)) socket.destroy()
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return parseAnswer(text)
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  return end !== -1 && length !== undefined && text.length >= end + 4 + Number(length)
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: text.slice(end + 4) }
}
