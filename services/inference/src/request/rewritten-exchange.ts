import type { OutgoingHttpHeaders } from 'node:http'
import type { ServedResponse } from '@ratchet/service-kit/http/served'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'

/** An endpoint that is another one in an older or a narrower form. */
export interface Rewrite {
  /**
   * @param contentType of the body
   * @throws ServiceError naming the field that has no equivalent
   */
  request(bytes: Buffer, contentType: string): Buffer | Promise<Buffer>
  reply(bytes: Buffer): Buffer | RewrittenReply
  /** The frame in the form of the endpoint; null to leave it out. `data` is what the frame contains. */
  frame(raw: Buffer, data: string): Buffer | null
}

/** An answer that is no JSON. */
export interface RewrittenReply {
  readonly contentType: string
  readonly bytes: Buffer
}

/** Larger frames are passed on as they are. */
const maxFrameBytes = 4 * 1_024 * 1_024

/**
 * A response that receives the answer of the other endpoint, and writes it in the form of this one. All headers remain, apart
 * from the length of the body.
 */
export function rewrittenResponse(response: ServedResponse, rewrite: Rewrite): ServedResponse {
  let plainHead: { readonly status: number; readonly headers: OutgoingHttpHeaders } | null = null
  const reader = createSseReader({ maxEventBytes: maxFrameBytes })
  const framesIn = (chunk: Buffer | string) =>
    Buffer.concat(
      reader.push(Buffer.from(chunk)).flatMap(({ raw, data }) => {
        const text = data?.toString().trim() ?? ''
        return (text === '' ? raw : rewrite.frame(raw, text)) ?? []
      }),
    )
  return {
    get statusCode() {
      return response.statusCode
    },
    set statusCode(status) {
      response.statusCode = status
    },
    get headersSent() {
      return plainHead !== null || response.headersSent
    },
    get destroyed() {
      return response.destroyed
    },
    get isPeerLost() {
      return response.isPeerLost === true
    },
    setHeader: (name, value) => response.setHeader(name, value),
    writeHead(status, headers) {
      const isStream = String(headers['content-type']).startsWith('text/event-stream')
      if (isStream) response.writeHead(status, headers)
      else plainHead = { status, headers }
    },
    write(bytes, onSent) {
      const frames = framesIn(bytes)
      return frames.length === 0 && onSent === undefined ? true : response.write(frames, onSent)
    },
    end(bytes = '') {
      if (plainHead === null) return response.end(framesIn(bytes))
      const reply = rewrite.reply(Buffer.from(bytes))
      const { bytes: body, ...type } = Buffer.isBuffer(reply) ? { bytes: reply } : typed(reply)
      response.writeHead(plainHead.status, { ...plainHead.headers, ...type, 'content-length': body.length })
      return response.end(body)
    },
    destroy: () => response.destroy(),
    once: (event, listener) => response.once(event, listener),
    off: (event, listener) => response.off(event, listener),
  }
}

function typed({ bytes, contentType }: RewrittenReply) {
  return { bytes, 'content-type': contentType }
}
