/*
 * The smallest possible Node proxy: `node:http` as server, undici's dispatch as client, and nothing else.
 * Usage: node bare-hop.ts <port> <upstream origin>
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'

const [port, upstream = ''] = process.argv.slice(2)
const pool = new Pool(upstream, { connections: 512, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'host', 'expect']

createServer(forward).listen(Number(port), '127.0.0.1')

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url: path = '/' } = request
  pool.dispatch(
    { method, path, headers: endToEnd(request.headers), body: request },
    {
      onRequestStart(controller) {
        response.on('close', () => response.writableFinished || controller.abort(new Error('the client left')))
      },
      onResponseStart: (_controller, status, headers) => void response.writeHead(status, endToEnd(headers)),
      onResponseData(controller, bytes) {
        if (response.write(bytes)) return
        controller.pause()
        response.once('drain', () => controller.resume())
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  )
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = { ...headers }
  for (const name of hopByHop) delete kept[name]
  return kept
}
