import { Pool } from 'undici'
import type { LoadRequest } from './load-job.ts'

/** The outcome of one request; times are those of `performance.now()`. */
export interface Answer {
  /** True when the status was 200 and a streamed answer was complete. */
  readonly ok: boolean
  readonly firstByteAt: number
  readonly endedAt: number
}

/** Sends one request and returns its outcome. */
export type Send = (onAnswer: (answer: Answer) => void) => void

const streamEnd = Buffer.from('data: [DONE]\n\n')

/** Keep-alive connections to one target that all send the same request. */
export function createSender({ url, headers, body }: LoadRequest, connections: number): Send {
  const { origin, pathname: path } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 30_000, bodyTimeout: 30_000 })
  const bytes = Buffer.from(body)
  return (onAnswer) => {
    let status = 0
    let streamed = false
    let firstByteAt = 0
    let last: Buffer | undefined
    const finish = (whole: boolean) => {
      const ok = whole && status === 200 && (!streamed || last?.subarray(-streamEnd.length).equals(streamEnd) === true)
      onAnswer({ ok, firstByteAt, endedAt: performance.now() })
    }
    pool.dispatch(
      { method: 'POST', path, headers, body: bytes },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, answered, answeredHeaders) {
          status = answered
          streamed = String(answeredHeaders['content-type']).startsWith('text/event-stream')
        },
        onResponseData(_controller, chunk) {
          if (firstByteAt === 0) firstByteAt = performance.now()
          last = chunk
        },
        onResponseEnd: () => finish(true),
        onResponseError: () => finish(false),
      },
    )
  }
}
