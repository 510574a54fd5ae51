/** An answer with the requested id. */
export interface SeenAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The id in question, which an answer may repeat. */
  readonly asked: string
}

/** Headers that differ between any two answers. */
const everChanging = new Set(['date', 'x-request-id', 'request-id'])

/**
 * Finds the differences between two answers, without their request ids, times and requested ids. Without a difference a
 * caller cannot learn which of the two ids exists.
 */
export function findLeaks(one: SeenAnswer, other: SeenAnswer): readonly string[] {
  const [a, b] = [masked(one), masked(other)]
  const names = new Set([...Object.keys(a.headers), ...Object.keys(b.headers)])
  return [
    ...different('status', a.status, b.status),
    ...[...names].flatMap((name) => different(`header ${name}`, a.headers[name], b.headers[name])),
    ...different('body', a.body, b.body),
  ]
}

function different(what: string, one: unknown, other: unknown): readonly string[] {
  return one === other ? [] : [`${what}: ${String(one)} | ${String(other)}`]
}

/** Removes ids and times of newly created objects. */
function withoutNews(body: string): string {
  return body
    .replace(/\b(chatcmpl|[a-z]{2,5})[-_][0-9a-f]{32}\b/g, '<new>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}

function masked({ status, headers, body, asked }: SeenAnswer) {
  const requestId = headers['x-request-id']
  const text = requestId === undefined ? body : body.replaceAll(requestId, '<request id>')
  const withoutId = status < 300 ? withoutNews(text) : text
  const kept = Object.entries(headers).filter(([name]) => !everChanging.has(name))
  return { status, headers: Object.fromEntries(kept), body: withoutId.replaceAll(asked, '<asked>') }
}
