import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves an app on a free port of this machine. */
export async function listen(
  app: Parameters<typeof createServer>[1],
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(app as never)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
