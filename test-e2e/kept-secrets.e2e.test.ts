import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { revokeApiKey } from '@ratchet/db/operator'
import { saveProviderKey } from '@ratchet/db/provider-keys'
import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { apiOf } from './judged-traffic.ts'
import { loopbackCertificate } from './loopback-certificate.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { everyRedisValue, everyStoredText } from './stored-texts.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let catalog: MountedCatalog
let folder: string
/** A provider that repeats the received key in its error, as some providers do. */
let provider: Server
let pool: Pool
let workspace: DemoWorkspace

const brought = `sk-brought-${randomBytes(24).toString('hex')}`
/** A prompt in a workspace without logging. */
const unlogged = `never to be kept ${randomBytes(12).toString('hex')}`
const seen: string[] = []

beforeAll(async () => {
  provider = createServer(loopbackCertificate, (request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '')
    seen.push(key ?? '')
    const message = `Incorrect API key provided: ${key}. You can find your API key in your account.`
    response.writeHead(401, { 'content-type': 'application/json', 'x-echo': key })
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  catalog = await mountedCatalog({
    providers: [{ id: 'own', base_url: urlOf(provider), api_key_env: 'NOBODY_SET_THIS_API_KEY' }],
    models: [{ id: 'own/echo' }],
  })
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-secrets-'))
  await writeFile(path.join(folder, 'ca.pem'), loopbackCertificate.cert)
  const hosts = { BYOK_ALLOWED_HOSTS: '127.0.0.1', WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  const env = { CATALOG_DIR: catalog.folder, NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'), LOG_LEVEL: 'trace' }
  fleet = await startFleet({ judges: true, evals: true, aliases: true, training: true, env: { ...env, ...hosts } })
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await fleet?.stop()
  await catalog?.remove()
  provider?.close().closeAllConnections()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
}, 180_000)

const urlOf = (server: Server) => `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

/** Every process of the fleet. */
const processes = () => [
  ...fleet.edges,
  ...[fleet.inference, fleet.logging, fleet.loggingWorker, fleet.judging, fleet.judgingWorker],
  ...[fleet.eval, fleet.evalWorker, fleet.alias, fleet.aliasWorker, fleet.training, fleet.trainingWorker],
]

/** The places in which any of these texts is stored or was printed; a partition counts as its table. */
async function placesOf(texts: readonly string[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ rolname: string }>("SELECT rolname FROM pg_roles WHERE rolname LIKE 'ratchet_%'")
  const owner = await pool.query<{ current_user: string }>('SELECT current_user')
  const roles = [...rows.map(({ rolname }) => rolname), owner.rows[0]?.current_user ?? '']
  const stored = (await Promise.all(roles.map((role) => everyStoredText(pool, role)))).flat()
  const redis = (await everyRedisValue(fleet.redisUrl)).map((text) => ({ table: 'redis', text }))
  const printed = processes().flatMap(({ log }, index) => log.map((text) => ({ table: `process ${index}`, text })))
  const places = [...stored, ...redis, ...printed]
  return [
    ...new Set(
      places
        .filter(({ text }) => texts.some((each) => text.includes(each)))
        .map(({ table }) => table.replace(/_\d{8}$/, '')),
    ),
  ]
}

/** A secret, and the encoded forms in which it could be stored. */
function formsOf(secret: string): readonly string[] {
  const bare = secret.replace(/^(sk[_-][a-z]+[_-]|whsec_)/, '')
  return [bare, Buffer.from(secret).toString('base64').slice(0, -4), Buffer.from(bare, 'latin1').toString('hex')]
}

async function bringKey(key: string): Promise<void> {
  const { workspaceId } = workspace
  const box = createSecretBox({ keys: parseNamedKeys(fleet.encryptionKeys), randomBytes })
  const sealed = box.seal(key, providerKeyPlace({ workspaceId, provider: 'own' }))
  const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
  const row = { id: randomUUID(), workspaceId, provider: 'own', baseUrl: urlOf(provider), display: 'xxxx' }
  await saveProviderKey(db, { ...row, createdBy: null, ...sealed, at: new Date() })
  await db.$disconnect()
}

it('finds stored texts, which shows that the search works', async () => {
  const kept = `kept on purpose ${randomBytes(12).toString('hex')}`
  const body = { model: 'sim/echo', content: kept, apiKey: workspace.apiKey }
  expect((await postChat(fleet, body)).status).toBe(200)
  await eventually(async () => expect(await placesOf([kept])).toContain('exchange_block'), { withinMs: 45_000 })
  // The log stores content only in its own table.
  await eventually(async () => expect(await placesOf([kept])).toEqual(['exchange_block']), { withinMs: 45_000 })
}, 180_000)

it('stores and prints no API key, valid, refused or revoked', async () => {
  const { apiKey, keyId } = await workspace.addMember('admin')
  const api = apiOf(fleet, { apiKey })
  for (const call of ['/models', '/logs', '/criteria', '/evals', '/aliases', '/webhooks', '/nothing', '/logs/x']) {
    await api('GET', call)
  }
  await postChat(fleet, { model: 'sim/fail-500', apiKey })
  await api('POST', '/criteria', { name: apiKey.length })
  // In a wrong place.
  await fetch(`${fleet.url}/v1/models?key=${apiKey}`)
  await fetch(`${fleet.url}/v1/models`, { headers: { authorization: apiKey, 'x-api-key': apiKey } })
  const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
  await revokeApiKey(db, { id: keyId, at: new Date() })
  await db.$disconnect()
  expect((await api('GET', '/models')).status).toBe(401)
  expect(await placesOf(formsOf(apiKey))).toEqual([])
})

it('stores, prints and returns no provider key, although the provider repeats it', async () => {
  await bringKey(brought)
  for (const stream of [false, true]) {
    const answer = await eventually(async () => {
      const each = await postChat(fleet, { model: 'own/echo', apiKey: workspace.apiKey, stream })
      const text = await each.text()
      return seen.includes(brought) ? { text, headers: JSON.stringify([...each.headers]) } : null
    })
    for (const form of formsOf(brought)) expect(answer.text + answer.headers).not.toContain(form)
  }
  expect(await placesOf(formsOf(brought))).toEqual([])
})

it('stores and prints no secret of a webhook, used or refused', async () => {
  const api = apiOf(fleet, workspace)
  const given = `whsec_${randomBytes(32).toString('base64')}`
  const made = await api('POST', '/webhooks', { url: urlOf(provider), events: ['eval.done'], secret: given })
  expect(made.status).toBe(201)
  const changed = `whsec_${randomBytes(32).toString('base64')}`
  await api('PATCH', `/webhooks/${made.json.id}`, { secret: changed })
  const refused = await api('PATCH', `/webhooks/${made.json.id}`, { secret: `${changed}!` })
  expect([refused.status, refused.text.includes(changed)]).toEqual([400, false])
  const bytes = [given, changed].map((each) => Buffer.from(each.slice(6), 'base64').toString('hex'))
  expect(await placesOf([...formsOf(given), ...formsOf(changed), ...bytes])).toEqual([])
})

it('stores, prints and returns no secret of a tool, although its address repeats it', async () => {
  const api = apiOf(fleet, workspace)
  const key = () => `sk-proj-${randomBytes(16).toString('hex')}`
  const [given, changed] = [key(), key()]
  const url = urlOf(provider)
  const http = { url, secretHeaders: { Authorization: `Bearer ${given}` } }
  const tool = { name: 'guarded', description: '', parameters: { type: 'object' }, kind: 'http', http }
  const made = await api('POST', '/environment_tools', tool)
  expect(made.status).toBe(201)
  const path = `/environment_tools/${made.json.id}`
  const answers = [made, await api('POST', `${path}/test`, {})]
  expect(seen).toContain(given)
  answers.push(await api('PATCH', path, { http: { secretHeaders: { Authorization: `Bearer ${changed}\n` } } }))
  answers.push(await api('PATCH', path, { http: { url: 'https://example.com' } }))
  answers.push(await api('PATCH', path, { http: { secretHeaders: { Authorization: `Bearer ${changed}` } } }))
  answers.push(await api('POST', `${path}/test`, {}), await api('GET', path), await api('GET', '/environment_tools'))
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 400, 400, 200, 200, 200, 200])
  const forms = [...formsOf(given), ...formsOf(changed)]
  for (const { text } of answers) expect(forms.filter((form) => text.includes(form))).toEqual([])
  const signing = Buffer.from(made.json.signing_secret.slice(6), 'base64').toString('hex')
  expect(await placesOf([...forms, ...formsOf(made.json.signing_secret), signing])).toEqual([])
})

it('stores and prints no prompt of a workspace without logging', async () => {
  const quiet = await workspaceWith(fleet)
  for (const model of ['sim/echo', 'sim/fail-500', 'sim/cut-50', 'nothing/of-the-kind']) {
    await (await postChat(fleet, { model, content: unlogged, apiKey: quiet.apiKey, stream: true }))
      .text()
      .catch(() => '')
  }
  expect(await placesOf([unlogged])).toEqual([])
})
