import { once } from 'node:events'
import { createServer } from 'node:http'

/** A collector that only remembers: what processes export over OTLP/HTTP. */
export interface OtlpCapture {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  /** Every body that came, as text: protobuf keeps strings as they are. */
  text(): string
  stop(): Promise<void>
}

/** Starts it on a free port of 127.0.0.1. */
export async function startOtlpCapture(): Promise<OtlpCapture> {
  const bodies: Buffer[] = []
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk))
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    text: () => Buffer.concat(bodies).toString('utf8'),
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
