import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceContext } from './service-context.ts'
import { services } from './service-list.ts'
import { serviceSpec } from './service-spec.ts'

let server: Server
let answer = {}

beforeAll(async () => {
  server = createServer((_request, response) => response.end(JSON.stringify(answer)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

function isReady(instanceId: string): Promise<boolean> {
  const [service] = services
  if (service === undefined) throw new Error('there is no service')
  const { port } = server.address() as AddressInfo
  const definition = { ...service, env: () => ({}) }
  const context = { host: '127.0.0.1', databaseUrl: '', redisUrl: '', env: {}, instanceId } as unknown as ServiceContext
  return serviceSpec(definition, { context, port }).isReady()
}

it('takes only a process that names this fleet for its own', async () => {
  answer = { status: 'ready', instance: 'another' }
  expect(await isReady('mine')).toBe(false)
  answer = { status: 'ready', instance: 'mine' }
  expect(await isReady('mine')).toBe(true)
})
