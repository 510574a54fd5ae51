import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { type CapturedSpan, readSpans } from './otlp-spans.ts'

/** Stands where a collector would: takes what processes export and keeps it for whoever looks. */
export interface OtlpCapture {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  /** Every span that came, in the order of their arrival. */
  spans(): readonly CapturedSpan[]
  /** Every byte that came, as text, for whoever looks for what must not be in it. */
  text(): string
  stop(): Promise<void>
}

/** Starts a server that takes OTLP over HTTP in protobuf, as our processes send it. */
export async function startOtlpCapture(): Promise<OtlpCapture> {
  const bodies: Buffer[] = []
  const spans: CapturedSpan[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      bodies.push(body)
      if (request.url === '/v1/traces') spans.push(...readSpans(body))
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans],
    text: () => bodies.map((body) => body.toString('latin1')).join('\n'),
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const body = await buffer(request)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}
