import type { Answer, Call } from './call.ts'
import type { Cell } from './matrix.ts'
import { sendTurn } from './send-turn.ts'
import { paths } from './speak.ts'
import { formOf } from './speak-media.ts'

/** Sends one request and reads the complete answer. */
export async function send(surface: Cell['surface'], call: Call): Promise<Answer> {
  if (surface === 'sockets') return sendTurn(call, {})
  return readAll(await post(surface, call))
}

/** Sends one request and disconnects from its stream when the text and the number of chunks so far are enough. */
export async function sendAndLeave(
  surface: Cell['surface'],
  call: Call,
  isEnough: (text: string, chunks: number) => boolean,
): Promise<Answer> {
  if (surface === 'sockets') return sendTurn(call, { isEnough })
  const leaving = new AbortController()
  const response = await post(surface, call, leaving.signal)
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  for (let text = '', chunks = 1; ; chunks++) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
    if (done) throw new Error('the answer ended before the client left')
    text += decoder.decode(value, { stream: true })
    if (isEnough(text, chunks)) break
  }
  leaving.abort()
  return { status: response.status, headers: response.headers, raw: '', broken: true }
}

/** Sends one request and disconnects before its answer when `reached` resolves. */
export async function sendAndGiveUp(surface: Cell['surface'], call: Call, reached: Promise<unknown>): Promise<Answer> {
  if (surface === 'sockets') return sendTurn(call, { reached })
  const leaving = new AbortController()
  const waiting = post(surface, call, leaving.signal).catch(() => null)
  await reached
  leaving.abort()
  if ((await waiting)?.headers.get('content-length')) throw new Error('the answer came before the client left')
  return { status: 0, headers: new Headers(), raw: '', broken: true }
}

function post(surface: Cell['surface'], call: Call, signal: AbortSignal | null = null): Promise<Response> {
  const isForm = surface === 'transcriptions'
  const type = isForm ? {} : { 'content-type': 'application/json' }
  const { path, body } = surface === 'gemini' ? geminiCall(call.body) : { path: paths[surface], body: call.body }
  return fetch(call.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${call.apiKey}`, ...type, ...call.headers },
    body: isForm ? formOf(body) : JSON.stringify(body),
    signal,
  })
}

/** The path names the model, and whether its answer is streamed. */
function geminiCall({ model, stream, ...body }: Call['body']) {
  const method = stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return { path: `/v1beta/models/${model}:${method}`, body }
}

async function readAll(response: Response): Promise<Answer> {
  const decoder = new TextDecoder()
  let raw = ''
  let broken = false
  try {
    for await (const chunk of response.body ?? []) raw += decoder.decode(chunk, { stream: true })
  } catch {
    broken = true
  }
  return { status: response.status, headers: response.headers, raw, broken }
}
