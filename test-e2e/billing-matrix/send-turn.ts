import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Answer, Call } from './call.ts'
import { paths } from './speak.ts'

export interface Leaving {
  /** Disconnects when the text and the number of events so far are enough. */
  readonly isEnough?: (text: string, events: number) => boolean
  /** Disconnects when it resolves. */
  readonly reached?: Promise<unknown>
}

const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])

/** Sends one request on a WebSocket of its own. The answer has the events as a stream over HTTP would have them. */
export async function sendTurn({ url, apiKey, headers, body }: Call, { isEnough, reached }: Leaving): Promise<Answer> {
  const websocket = new WebSocket(url.replace(/^http/, 'ws') + paths.sockets, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  })
  const events: Record<string, unknown>[] = []
  const lines: string[] = []
  let hasLeft = false
  const leave = () => {
    hasLeft = true
    websocket.terminate()
  }
  websocket.on('message', (data) => {
    const event = JSON.parse(String(data))
    events.push(event)
    lines.push(`data: ${data}\n\n`)
    if (isEnough?.(lines.join(''), events.length) === true) leave()
    else if (ends.has(event.type)) websocket.close()
  })
  await once(websocket, 'open')
  const closed = once(websocket, 'close')
  const { stream, ...asked } = body
  websocket.send(JSON.stringify({ type: 'response.create', ...asked }))
  void reached?.then(leave)
  await closed
  const [first] = events
  const last = events.at(-1)
  const isError = first?.type === 'error'
  return {
    status: reached !== undefined ? 0 : isError ? Number(first.status) : 200,
    headers: new Headers((reached === undefined ? first?.headers : {}) as Record<string, string>),
    raw: hasLeft ? '' : lines.join(''),
    broken: hasLeft || (!isError && last?.type !== 'response.completed' && last?.type !== 'response.incomplete'),
  }
}
