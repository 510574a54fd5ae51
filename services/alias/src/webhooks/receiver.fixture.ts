import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Status of all further answers, or a function that answers. */
  answer: number | ((response: ServerResponse) => void)
  stop(): Promise<void>
}

/** Starts a receiver of webhooks on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: Buffer.concat(await request.toArray()).toString() })
    if (typeof receiver.answer === 'number') response.writeHead(receiver.answer).end()
    else receiver.answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer: 204,
    async stop() {
      server.close().closeAllConnections()
    },
  }
  return receiver
}
