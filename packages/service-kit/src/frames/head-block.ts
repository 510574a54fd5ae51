import { FrameError, maxHeadBytes } from './frame-format.ts'

/** Headers of a message: names in lower case, as Node's HTTP reads them. */
export type FramedHeaders = Readonly<Record<string, string | string[]>>

export interface RequestHead {
  readonly method: string
  readonly target: string
  readonly headers: Record<string, string>
}

export interface AnswerHead {
  readonly status: number
  readonly headers: FramedHeaders
}

/**
 * Encodes the head of a message: the first lines, then names and values in turn, one per line, in Latin-1 as HTTP does.
 *
 * @returns null when it is larger than a head may be
 * @throws FrameError for a line break in one of them
 */
export function encodeHead(lines: readonly string[]): Buffer | null {
  let length = lines.length - 1
  for (const line of lines) {
    if (line.includes('\n')) throw new FrameError('a line break in a head')
    length += line.length
  }
  return length > maxHeadBytes ? null : Buffer.from(lines.join('\n'), 'latin1')
}

/** @throws FrameError for a head that is too large or has a name without a value */
export function decodeRequestHead(payload: Buffer): RequestHead {
  const lines = decodeLines(payload)
  const [method = '', target = ''] = lines
  if (lines.length % 2 !== 0 || method === '' || target === '') throw new FrameError('a request without a target')
  const headers: Record<string, string> = Object.create(null)
  for (let i = 2; i < lines.length; i += 2) addRequestHeader(headers, lines[i] as string, lines[i + 1] as string)
  return { method, target, headers }
}

/** @throws FrameError for a head that is too large, a name without a value, or an impossible status */
export function decodeAnswerHead(payload: Buffer): AnswerHead {
  const lines = decodeLines(payload)
  const status = Number(lines[0])
  if (lines.length % 2 !== 1 || !Number.isInteger(status) || status < 200 || status > 999) {
    throw new FrameError('an answer without a status')
  }
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let i = 1; i < lines.length; i += 2) addAnswerHeader(headers, lines[i] as string, lines[i + 1] as string)
  return { status, headers }
}

function decodeLines(payload: Buffer): readonly string[] {
  if (payload.length > maxHeadBytes) throw new FrameError('a head is too large')
  return payload.toString('latin1').split('\n')
}

/** Headers of which Node's HTTP server keeps the first, among those that the edge forwards. Others are joined. */
const keptOnce: ReadonlySet<string> = new Set(['content-type', 'content-length', 'user-agent', 'authorization', 'host'])

function addRequestHeader(headers: Record<string, string>, name: string, value: string): void {
  const earlier = headers[name]
  if (earlier === undefined) headers[name] = value
  else if (!keptOnce.has(name)) headers[name] = `${earlier}, ${value}`
}

function addAnswerHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  const earlier = headers[name]
  if (earlier === undefined) headers[name] = value
  else headers[name] = Array.isArray(earlier) ? [...earlier, value] : [earlier, value]
}
