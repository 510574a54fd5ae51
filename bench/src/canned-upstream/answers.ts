/** Content deltas of a streamed answer. */
export const eventsPerStream = 64

const model = 'canned'
const created = 1_760_000_000
const usage = { prompt_tokens: 256, completion_tokens: eventsPerStream, total_tokens: 256 + eventsPerStream }

/** The whole HTTP answer to a request that does not stream: a completion of about 600 bytes. */
export const plainAnswer = plain()

/** Head of the HTTP answer to a streamed request. */
export const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n',
)

/** One content delta, framed as an HTTP chunk. */
export const streamEvent = chunk(event({ choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }] }))

/** Finish reason, usage, `[DONE]` and the end of the body. */
export const streamTail = Buffer.concat([
  chunk(
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      event({ choices: [], usage }) +
      'data: [DONE]\n\n',
  ),
  Buffer.from('0\r\n\r\n'),
])

function plain(): Buffer {
  const body = JSON.stringify({
    id: 'chatcmpl-canned',
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(60).trim() }, finish_reason: 'stop' }],
    usage,
    system_fingerprint: null,
  })
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
}

function event(fields: object): string {
  const value = { id: 'chatcmpl-canned', object: 'chat.completion.chunk', created, model, ...fields }
  return `data: ${JSON.stringify(value)}\n\n`
}

function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}
