import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { type CapturedSpan, readSpans } from './otlp-spans.ts'

/** Stands for a collector: it receives what processes export, for tests to read. */
export interface OtlpCapture {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  /** Every received span, in the order of arrival. */
  spans(): readonly CapturedSpan[]
  /** Every received byte as text, to search for content that must not be exported. */
  text(): string
  stop(): Promise<void>
}

/** Starts a server for OTLP over HTTP in protobuf, as the processes of the fleet send it. */
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
