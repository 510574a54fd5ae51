import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { adminCommand, smuggleKey } from './brought-keys.ts'
import { type ChatCall, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { loopbackCertificate } from './loopback-certificate.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { workspaceWith } from './workspace-with.ts'

/** Prefix of every secret of this file. */
const mark = 'sk-own-'
const withinMs = 5_000

let fleet: Fleet
/** The provider `own`, for which the platform has no key. */
let provider: SimulatedProvider
let catalog: MountedCatalog
let folder: string
const listening: Server[] = []

beforeAll(async () => {
  provider = await startSimulatedProvider()
  catalog = await mountedCatalog({
    providers: [{ id: 'own', base_url: `${provider.baseUrl}/v1`, api_key_env: 'NOBODY_SET_THIS_API_KEY' }],
    models: [{ id: 'own/echo' }, { id: 'own/fail', upstream_model: 'sim/fail-401' }],
  })
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-own-keys-'))
  const certificates = path.join(folder, 'ca.pem')
  await writeFile(certificates, loopbackCertificate.cert)
  fleet = await startFleet({
    env: { CATALOG_DIR: catalog.folder, BYOK_ALLOWED_HOSTS: '127.0.0.1', NODE_EXTRA_CA_CERTS: certificates },
  })
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  await provider?.stop()
  await catalog?.remove()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
}, 180_000)

beforeEach(() => provider.reset())
afterEach(() => {
  for (const server of listening.splice(0)) server.close().closeAllConnections()
})

function newSecret(): string {
  return mark + randomBytes(12).toString('hex')
}

function setKey({ slug }: DemoWorkspace, secret: string, more = ''): Promise<string> {
  return adminCommand(
    fleet,
    `admin provider-key set --workspace ${slug} --provider own --from-env BROUGHT${more}`,
    secret,
  )
}

async function ask({ apiKey }: DemoWorkspace, call: Partial<ChatCall> = {}) {
  const response = await postChat(fleet, { model: 'own/echo', apiKey, ...call })
  const text = await response.text()
  return { status: response.status, text, error: response.ok ? null : JSON.parse(text).error }
}

/** The keys that the provider received since the last reset. */
async function keysShown(): Promise<(string | undefined)[]> {
  const { requests } = await provider.report()
  return requests.map(({ headers }) => headers.authorization)
}

async function modelsOf({ apiKey }: DemoWorkspace): Promise<string[]> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`${fleet.url}/v1/models`, { headers })
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] }
  return data.map(({ id }) => id).filter((id) => id.startsWith('own/'))
}

describe('a provider without a platform key', () => {
  it('is unknown, and its models are not listed', async () => {
    const workspace = await workspaceWith(fleet)
    expect(await ask(workspace)).toMatchObject({ status: 400, error: { code: 'unknown_provider', param: 'model' } })
    expect(await modelsOf(workspace)).toEqual([])
    expect(await keysShown()).toEqual([])
  })

  it('is called with a workspace`s own key, for this workspace only', async () => {
    const [mine, other] = [await workspaceWith(fleet), await workspaceWith(fleet)]
    const secret = newSecret()
    await setKey(mine, secret)
    expect(await ask(mine)).toMatchObject({ status: 200 })
    expect((await ask(mine, { stream: true })).text).toContain('data: [DONE]')
    expect(await keysShown()).toEqual([`Bearer ${secret}`, `Bearer ${secret}`])
    expect(await modelsOf(mine)).toEqual(['own/echo', 'own/fail'])
    expect(await ask(other)).toMatchObject({ status: 400, error: { code: 'unknown_provider' } })
    expect(await modelsOf(other)).toEqual([])
    expect(await readLedger(fleet.databaseUrl, mine.workspaceId)).toMatchObject({ posted: 2, open: 0, violations: [] })
  })

  it('is used as a fallback with a key, and skipped without one', async () => {
    const fallbackModels = ['own/echo', 'sim/echo']
    const [mine, other] = [
      await workspaceWith(fleet, { fallbackModels }),
      await workspaceWith(fleet, { fallbackModels }),
    ]
    await setKey(mine, newSecret())
    const servedTo = async ({ apiKey }: DemoWorkspace) =>
      (await postChat(fleet, { model: 'sim/fail-401', apiKey })).headers.get('x-svc-served-model')
    expect([await servedTo(mine), await servedTo(other)]).toEqual(['own/echo', 'sim/echo'])
  })
})

describe('a key that changes', () => {
  it('is replaced within seconds, and not used after its removal', async () => {
    const mine = await workspaceWith(fleet)
    const [first, second] = [newSecret(), newSecret()]
    await setKey(mine, first)
    expect(await ask(mine)).toMatchObject({ status: 200 })
    await setKey(mine, second)
    await eventually(
      async () => {
        await provider.reset()
        expect(await ask(mine)).toMatchObject({ status: 200 })
        expect(await keysShown()).toEqual([`Bearer ${second}`])
      },
      { withinMs },
    )
    await adminCommand(fleet, `admin provider-key remove --workspace ${mine.slug} --provider own`)
    const gone = async () => (await ask(mine)).error?.code === 'unknown_provider'
    await eventually(gone, { withinMs })
    expect(await modelsOf(mine)).toEqual([])
  }, 180_000)

  it('does not break running calls with the old key', async () => {
    const mine = await workspaceWith(fleet)
    await setKey(mine, newSecret())
    await provider.script({ model: 'sim/echo', behaviour: 'pace-15' })
    const call = { model: 'own/echo', stream: true, content: 'word '.repeat(200), apiKey: mine.apiKey }
    const running = await postChat(fleet, call)
    const second = newSecret()
    await setKey(mine, second)
    await eventually(
      async () => {
        await ask(mine)
        expect(await keysShown()).toContain(`Bearer ${second}`)
      },
      { withinMs },
    )
    expect((await running.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  }, 180_000)
})

describe('a provider URL of a workspace', () => {
  const answer = (_request: IncomingMessage, response: ServerResponse) => {
    const message = { role: 'assistant', content: 'from afar' }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
  }

  it.each([
    ['loopback', (port: number) => `https://127.0.0.2:${port}/v1`],
    ['a name of this machine', (port: number) => `https://localhost:${port}/v1`],
  ])(
    'is not called when it is %s that the operator did not allow, even if it is in the database',
    async (_name, urlOf) => {
      const server = await listen('127.0.0.2', answer)
      const mine = await workspaceWith(fleet)
      const baseUrl = urlOf(server.port)
      await expect(setKey(mine, newSecret(), ` --base-url ${baseUrl}`)).rejects.toThrow(/--base-url/)
      await smuggleKey(fleet, mine, { provider: 'own', baseUrl, secret: newSecret() })
      expect(await ask(mine)).toMatchObject({ status: 400, error: { code: 'unknown_provider' } })
      await eventually(() => expect(fleet.inference.log.join('\n')).toContain('"reason":"base_url_refused"'))
      expect(server.seen).toEqual([])
    },
  )

  it('is not called over http, or when it is public but not allowed by the operator', async () => {
    for (const baseUrl of [`${provider.baseUrl}/v1`, 'https://api.example.com/v1']) {
      const mine = await workspaceWith(fleet)
      await smuggleKey(fleet, mine, { provider: 'own', baseUrl, secret: newSecret() })
      expect(await ask(mine)).toMatchObject({ status: 400, error: { code: 'unknown_provider' } })
    }
    expect(await keysShown()).toEqual([])
  })

  it('is called when the operator allowed its host', async () => {
    const server = await listen('127.0.0.1', answer)
    const mine = await workspaceWith(fleet)
    const secret = newSecret()
    await setKey(mine, secret, ` --base-url https://127.0.0.1:${server.port}/deep/v1`)
    expect(await ask(mine)).toMatchObject({ status: 200, text: expect.stringContaining('from afar') })
    expect(server.seen).toEqual([`POST /deep/v1/chat/completions Bearer ${secret}`])
    expect(await keysShown()).toEqual([])
  })

  it('is not redirected', async () => {
    const elsewhere = await listen('127.0.0.1', answer)
    for (const status of [302, 307]) {
      const server = await listen('127.0.0.1', (_request, response) => {
        response.writeHead(status, { location: `https://127.0.0.1:${elsewhere.port}/v1/chat/completions` }).end()
      })
      const mine = await workspaceWith(fleet)
      await setKey(mine, newSecret(), ` --base-url https://127.0.0.1:${server.port}/v1`)
      expect(await ask(mine)).toMatchObject({ status: 502, error: { type: 'upstream_error' } })
      expect(server.seen).toHaveLength(1)
    }
    expect(elsewhere.seen).toEqual([])
  }, 180_000)
})

it('sends a key only to the provider, also when the provider refuses it', async () => {
  const mine = await workspaceWith(fleet)
  const reported = [await setKey(mine, newSecret())]
  reported.push(await adminCommand(fleet, `admin provider-key list --workspace ${mine.slug}`))
  for (const stream of [false, true]) {
    const refused = await ask(mine, { model: 'own/fail', stream })
    expect(refused).toMatchObject({ status: 502, error: { type: 'upstream_error' } })
    reported.push(refused.text)
  }
  reported.push(await (await fetch(`${fleet.inference.url}/metrics`)).text())
  const logs = [fleet.inference, ...fleet.edges].flatMap(({ log }) => log)
  expect(await keysShown()).not.toEqual([])
  expect([...reported, ...logs].filter((text) => text.includes(mark))).toEqual([])
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Starts an https server that acts as a provider. */
async function listen(host: string, handler: Handler) {
  const seen: string[] = []
  const server = createServer(loopbackCertificate, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    request.resume().on('end', () => handler(request, response))
  })
  server.listen(0, host)
  await once(server, 'listening')
  listening.push(server)
  return { port: (server.address() as AddressInfo).port, seen }
}
