import { connect, type Socket } from 'node:net'

/* HTTP as bytes, for requests that no HTTP client sends. */

export interface WireAnswer {
  readonly status: number
  /** Lower-case names; repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends bytes on a new connection. Resolves with the answer when it is complete or the connection ends. */
export function exchangeBytes(port: number, bytes: string | Buffer): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece) => {
      received += piece
      const answer = parse(received)
      if (answer === null) return
      socket.destroy()
      resolve(answer)
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`the connection ended after: ${received}`)))
    socket.write(bytes, 'latin1')
  })
}

/** A connection whose bytes the test writes and reads itself. */
export interface Wire {
  readonly socket: Socket
  /** Everything received so far. */
  text(): string
  /** Resolves when the connection has ended, with true when it was reset. */
  readonly closed: Promise<boolean>
}

export function openWire(port: number): Wire {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let wasReset = false
  socket.setEncoding('latin1')
  socket.on('data', (piece) => {
    text += piece
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    wasReset = error.code === 'ECONNRESET'
  })
  const closed = new Promise<boolean>((resolve) => {
    socket.on('close', () => resolve(wasReset))
  })
  return { socket, text: () => text, closed }
}

/** A request head. All lines except the request line are sent as given. */
export function head(requestLine: string, ...lines: string[]): string {
  return `${[`${requestLine} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}

function parse(received: string): WireAnswer | null {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  if (status < 200) return parse(received.slice(end + 4))
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const body = received.slice(end + 4)
  if (headers['content-length'] !== undefined && body.length < Number(headers['content-length'])) return null
  if (headers['transfer-encoding'] === 'chunked' && !body.endsWith('0\r\n\r\n')) return null
  return { status, headers, body }
}
