import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import { type NameServer, startNameServer } from '@ratchet/testing/name-server'
import { adminCommand, smuggleKey } from '../brought-keys.ts'
import type { FleetOptions } from '../fleet.ts'
import { loopbackCertificate } from '../loopback-certificate.ts'
import { mountedCatalog } from '../mounted-catalog.ts'
import { workspaceWith } from '../workspace-with.ts'
import { describeFault, type OnStop } from './describe-fault.ts'

/** Listens on every address of this machine, and records connections. */
let canary: { readonly port: number; readonly connections: string[]; readonly requests: string[] }
let names: NameServer

const secret = `sk-brought-${randomBytes(12).toString('hex')}`

/** URLs of this server that no workspace may use. */
const spellings: readonly ((port: number) => string)[] = [
  (port) => `https://127.0.0.1:${port}/v1`,
  (port) => `https://127.1:${port}/v1`,
  (port) => `https://2130706433:${port}/v1`,
  (port) => `https://0x7f.0.0.1:${port}/v1`,
  (port) => `https://0177.0.0.1:${port}/v1`,
  (port) => `https://0.0.0.0:${port}/v1`,
  (port) => `https://127.0.0.1.:${port}/v1`,
  (port) => `https://[::1]:${port}/v1`,
  (port) => `https://[::]:${port}/v1`,
  (port) => `https://[::ffff:127.0.0.1]:${port}/v1`,
  (port) => `https://[::ffff:7f00:1]:${port}/v1`,
  (port) => `https://localhost:${port}/v1`,
  (port) => `https://LOCALHOST.:${port}/v1`,
  (port) => `https://a.localhost:${port}/v1`,
  (port) => `https://api.example.com@127.0.0.1:${port}/v1`,
  (port) => `https://127.0.0.1:${port}#@api.example.com/v1`,
  (port) => `http://127.0.0.2:${port}/v1`,
  (port) => `https://allowed.test\\@127.0.0.1:${port}/v1`,
  () => 'https://169.254.169.254/latest/meta-data',
  () => 'https://10.0.0.1/v1',
  () => 'https://[fd00:ec2::254]/v1',
  () => 'https://metadata.google.internal/v1',
  () => 'file:///etc/passwd',
]

describeFault(
  {
    id: 'F17',
    title: 'a workspace sets a provider URL inside the network',
    promise:
      'no process connects there, for any spelling, also if the URL is written directly into the database; nor for a name whose address changes',
    fleet: withCanary,
  },
  (fault) => {
    it('is called if the operator allowed it', async () => {
      await bring(`https://127.0.0.2:${canary.port}/v1`)
      await eventually(async () => expect(await fault.ask({ model: 'own/chat' })).toMatchObject({ status: 502 }))
      expect(canary.requests).toContain('POST /v1/chat/completions')
    })

    it('is refused by the command', async () => {
      const { slug } = await workspaceWith(fault.fleet)
      const refused = await Promise.allSettled(
        spellings
          .slice(0, 6)
          .map((urlOf) =>
            adminCommand(
              fault.fleet,
              `admin provider-key set --workspace ${slug} --provider own --from-env BROUGHT --base-url ${urlOf(canary.port)}`,
              secret,
              '127.0.0.2',
            ),
          ),
      )
      expect(refused.map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
    }, 60_000)

    it('is not called in any spelling', async () => {
      fault.keepSecret('a key that a workspace brought', secret)
      reset()
      for (const urlOf of spellings) {
        const answer = await askAt(urlOf(canary.port))
        expect([urlOf(canary.port), answer.status]).toEqual([urlOf(canary.port), 400])
      }
      fault.note('spellings of private addresses', spellings.length)
      fault.note('connections to them', canary.connections.length)
      expect(canary.connections).toEqual([])
    }, 60_000)

    it.each([
      ['stands for one', 'private.example.com'],
      ['stands for a public one and a private one', 'both.example.com'],
      ['changes its mind once it was looked at', 'rebinding.example.com'],
      ['stands for a private one of the other kind', 'private6.example.com'],
    ])(
      'is not called by a name that %s',
      async (_how, name) => {
        reset()
        for (let i = 0; i < 3; i++)
          expect(await askAt(`https://${name}:${canary.port}/v1`)).toMatchObject({ status: 502 })
        expect(names.asked.filter((asked) => asked.startsWith(name)).length).toBeGreaterThan(0)
        expect(canary.connections).toEqual([])
      },
      30_000,
    )

    async function askAt(baseUrl: string) {
      const { apiKey } = await bring(baseUrl)
      return fault.ask({ model: 'own/chat', apiKey })
    }

    async function bring(baseUrl: string) {
      const workspace =
        baseUrl.includes('127.0.0.2:') && baseUrl.startsWith('https')
          ? fault.fleet.workspace
          : await workspaceWith(fault.fleet)
      await smuggleKey(fault.fleet, workspace, { provider: 'own', baseUrl, secret })
      return workspace
    }
  },
)

function reset(): void {
  canary.connections.length = 0
  canary.requests.length = 0
}

/** Names that resolve to this machine; the first answer for one of them is a public address. */
function lookUp(name: string, type: 'A' | 'AAAA'): readonly string[] | null {
  if (name === 'private.example.com') return type === 'A' ? ['127.0.0.1'] : []
  if (name === 'private6.example.com') return type === 'A' ? [] : ['::1']
  if (name === 'both.example.com') return type === 'A' ? ['198.18.0.1', '127.0.0.1'] : []
  if (name !== 'rebinding.example.com') return null
  const before = names.asked.filter((asked) => asked === `${name} ${type}`).length
  return type === 'A' ? [before % 2 === 1 ? '203.0.112.1' : '127.0.0.1'] : []
}

async function withCanary(onStop: OnStop): Promise<FleetOptions> {
  const server = createServer(loopbackCertificate, (request, response) => {
    canary.requests.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '::')
  await once(server, 'listening')
  onStop(async () => void server.close().closeAllConnections())
  canary = { port: (server.address() as AddressInfo).port, connections: [], requests: [] }
  server.on('connection', (socket: Socket) => canary.connections.push(String(socket.localAddress)))
  names = await startNameServer(lookUp)
  onStop(names.stop)
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-f17-'))
  onStop(() => rm(folder, { recursive: true, force: true }))
  await writeFile(path.join(folder, 'ca.pem'), loopbackCertificate.cert)
  await writeFile(path.join(folder, 'names.mjs'), useNameServer(names.address))
  const catalog = await mountedCatalog({
    providers: [{ id: 'own', base_url: 'https://127.0.0.2:1/v1', api_key_env: 'NOBODY_SET_THIS_API_KEY' }],
    models: [{ id: 'own/chat' }],
  })
  onStop(catalog.remove)
  return {
    env: {
      CATALOG_DIR: catalog.folder,
      BYOK_CUSTOM_HOSTS: 'on',
      BYOK_ALLOWED_HOSTS: '127.0.0.2',
      NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'),
      NODE_OPTIONS: `--import=${path.join(folder, 'names.mjs')}`,
      UPSTREAM_CONNECT_TIMEOUT_MS: '300',
    },
  }
}

/** Makes processes use another name server, like a line in resolv.conf. */
function useNameServer(address: string): string {
  return `import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
const { Resolver } = dns
dns.Resolver = class extends Resolver {
  constructor(options) {
    super(options)
    this.setServers([${JSON.stringify(address)}])
  }
}
syncBuiltinESMExports()
`
}
