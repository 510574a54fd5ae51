import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import OpenAI from 'openai'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, type Json, untilOver } from './judged-traffic.ts'
import { loopbackCertificate } from './loopback-certificate.ts'
import { askRealQuestions } from './real-traffic.ts'
import type { FleetProcess } from './start-process.ts'
import { workspaceWith } from './workspace-with.ts'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let fleet: Fleet
/** The processes that run now. */
let alias: FleetProcess
let aliasWorker: FleetProcess
let workspace: DemoWorkspace
let api: Api
let folder: string
let server: Server
let received: Received[]
let status: number

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-webhooks-'))
  const certificates = path.join(folder, 'ca.pem')
  await writeFile(certificates, loopbackCertificate.cert)
  const env = { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', NODE_EXTRA_CA_CERTS: certificates, LOG_LEVEL: 'debug' }
  fleet = await startFleet({ evals: true, aliases: true, env })
  ;({ alias, aliasWorker } = fleet)
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await askRealQuestions(fleet, workspace, { model: 'sim/medium', tag: 'support', questions: 10 })
  server = createServer(loopbackCertificate, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
}, 300_000)
afterAll(async () => {
  server?.close()
  await fleet?.stop()
  await rm(folder, { recursive: true, force: true })
}, 180_000)
beforeEach(() => {
  received = []
  status = 200
})

const urlOf = (name: string) => `https://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`

async function addWebhook(name: string): Promise<Json> {
  const { json, text } = await api('POST', '/webhooks', { url: urlOf(name), events: ['eval.done'] })
  if (json.id === undefined) throw new Error(text)
  return json
}

/** Runs an eval to its end. */
async function evaluate(): Promise<Json> {
  const { json } = await api('POST', '/evals', {
    name: 'Support',
    rubric: 'The answer is right.',
    baseline_model: 'sim/medium',
    candidate_models: ['sim/small'],
    sample_count: 5,
    sample_filters: { tag: 'support' },
    judge_model: 'sim/judge-1-1',
  })
  return untilOver(api, `/evals/${json.id}`, 60_000)
}

const reported = (name: string) => received.filter((message) => message.path === `/${name}`)
const isReported = (name: string, times = 1) =>
  eventually(() => (reported(name).length >= times ? reported(name) : null), { withinMs: 45_000, everyMs: 100 })
const only = async (id: string) => (await api('GET', `/webhooks/${id}/deliveries`)).json.data[0]

/** A client of another project that verifies messages of this standard. */
const outsider = new OpenAI({ apiKey: 'none', baseURL: 'https://example.invalid' })

it('sends one message about a finished eval that any client of the standard can verify', async () => {
  const { id, secret } = await addWebhook('plain')
  const done = await evaluate()
  const [message] = (await isReported('plain')) as [Received]
  await outsider.webhooks.verifySignature(message.body, message.headers as Record<string, string>, secret)
  const forged = message.body.replace('DONE', 'FAILED')
  await expect(
    outsider.webhooks.verifySignature(forged, message.headers as Record<string, string>, secret),
  ).rejects.toThrow()
  expect(JSON.parse(message.body)).toEqual({
    type: 'eval.done',
    timestamp: done.finished_at,
    data: { object: 'eval', id: done.id, name: 'Support', status: 'DONE' },
  })
  const delivery = await eventually(async () => {
    const shown = await only(id)
    return shown.status === 'delivered' ? shown : null
  })
  expect(delivery).toMatchObject({ event_id: message.headers['webhook-id'], attempts: [{ status: 200, error: null }] })
  const replayed = await api('POST', `/webhooks/${id}/deliveries/${delivery.id}/replay`)
  expect([replayed.status, replayed.json.status]).toEqual([202, 'pending'])
  const [, again] = (await isReported('plain', 2)) as [Received, Received]
  expect([again.body, again.headers['webhook-id']]).toEqual([message.body, message.headers['webhook-id']])
  await outsider.webhooks.verifySignature(again.body, again.headers as Record<string, string>, secret)
  await api('DELETE', `/webhooks/${id}`)
})

it('delivers in the end, although the receiver fails and every sender is killed', async () => {
  const { id, secret } = await addWebhook('stubborn')
  status = 503
  alias.signal('SIGKILL')
  await alias.exited
  const done = await evaluate()
  alias = await fleet.restartAlias()
  await isReported('stubborn')
  aliasWorker.signal('SIGKILL')
  await aliasWorker.exited
  status = 204
  aliasWorker = await fleet.restartAliasWorker()
  const messages = await eventually(
    async () => ((await only(id)).status === 'delivered' ? reported('stubborn') : null),
    {
      withinMs: 90_000,
      everyMs: 500,
    },
  )
  expect(messages.length).toBeGreaterThan(1)
  expect(new Set(messages.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
  expect(JSON.parse(messages[0]?.body ?? '').data.id).toBe(done.id)
  for (const { body, headers } of messages) {
    await outsider.webhooks.verifySignature(body, headers as Record<string, string>, secret)
  }
  await api('DELETE', `/webhooks/${id}`)
}, 300_000)

it('shows a secret once, and prints it nowhere', async () => {
  const { id, secret } = await addWebhook('secret')
  const given = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
  await api('PATCH', `/webhooks/${id}`, { secret: given })
  await api('PATCH', `/webhooks/${id}`, { secret: `${given}!` })
  await evaluate()
  await isReported('secret')
  const shown = [await api('GET', '/webhooks'), await api('GET', `/webhooks/${id}`)].map(({ text }) => text)
  const printed = [...fleet.edges, alias, aliasWorker, fleet.evalWorker].flatMap(({ log }) => log)
  expect(printed.length).toBeGreaterThan(0)
  for (const text of [...shown, ...printed]) {
    for (const each of [secret, given]) expect(text).not.toContain(each.slice('whsec_'.length, -1))
  }
  await api('DELETE', `/webhooks/${id}`)
})

it('belongs to one workspace, and accepts no internal address', async () => {
  const { id } = await addWebhook('mine')
  const other = apiOf(fleet, await workspaceWith(fleet))
  const [foreign, absent] = [
    await other('GET', `/webhooks/${id}`),
    await other('GET', `/webhooks/whk_${'0'.repeat(32)}`),
  ]
  const { request_id: _, ...error } = foreign.json.error
  expect([foreign.status, absent.status, absent.json.error]).toEqual([404, 404, expect.objectContaining(error)])
  expect((await other('DELETE', `/webhooks/${id}`)).status).toBe(404)
  for (const url of ['https://169.254.169.254/x', 'http://example.com/', 'https://localhost/x', 'https://10.0.0.1/']) {
    const refused = await api('POST', '/webhooks', { url, events: ['eval.done'] })
    expect([refused.status, refused.json.error.param]).toEqual([400, 'url'])
  }
  await api('DELETE', `/webhooks/${id}`)
})
