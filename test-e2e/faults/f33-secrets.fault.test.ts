import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { publishWebhookEvent } from '@ratchet/contracts/internal-alias'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { connectPrisma } from '@ratchet/db/connect'
import { revokeApiKey } from '@ratchet/db/operator'
import { saveProviderKey } from '@ratchet/db/provider-keys'
import { parseNamedKeys, signIdentity } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { eventually } from '@ratchet/testing/eventually'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { apiOf } from '../judged-traffic.ts'
import { mountedCatalog } from '../mounted-catalog.ts'
import { rawRequest } from '../raw-request.ts'
import { choose } from '../workspace-with.ts'
import { describeFault, type Fault, type OnStop } from './describe-fault.ts'

describeFault(
  {
    id: 'F33',
    title: 'secrets in wrong places, at log level debug',
    promise: 'no log, store or span ever contains one',
    fleet: layOut,
  },
  (fault) => {
    it('an API key in a wrong place', async () => {
      const { url, workspace } = fault.fleet
      const { apiKey } = workspace
      fault.keepSecret('the API key in Base64', Buffer.from(`user:${apiKey}`).toString('base64'))
      await choose(fault.fleet, fault.fleet.workspace, { loggingEnabled: true })
      const answers: string[] = []
      const send = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(url + path, { method: 'POST', body: '{}', ...init })
        answers.push(`${response.status} ${await response.text()}`)
      }
      const bearer = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      await send(`/v1/chat/completions?api_key=${apiKey}`, {})
      await send(`/v1/chat/completions?api_key=${apiKey}`, { headers: bearer })
      await send(`/v1/${apiKey}`, { headers: bearer })
      await send(`/v1/aliases/${apiKey}`, { method: 'GET', body: null, headers: bearer })
      await send('/v1/chat/completions', {
        headers: { 'x-api-key': apiKey, 'user-agent': apiKey, referer: `https://a/${apiKey}` },
      })
      await send('/v1/chat/completions', {
        headers: { authorization: `Basic ${Buffer.from(`user:${apiKey}`).toString('base64')}` },
      })
      await send('/v1/chat/completions', {
        headers: { ...bearer, 'user-agent': apiKey, 'x-request-id': apiKey, cookie: apiKey },
      })
      await send('/v1/chat/completions', { headers: bearer, body: `{"model": "${apiKey}", "messages": [` })
      await send('/v1/chat/completions', { headers: bearer, body: JSON.stringify({ model: apiKey, messages: [] }) })
      await send('/v1/chat/completions', { headers: bearer, body: JSON.stringify({ [apiKey]: apiKey }) })
      await send('/v1/webhooks', { headers: bearer, body: JSON.stringify({ [apiKey]: 1, name: 7 }) })
      await rawRequest(url, `GET /v1/models HTTP/1.1\r\nHost: a\r\n${apiKey}\r\n\r\n`)
      await rawRequest(url, `POST /v1/models HTTP/1.1\r\nHost: a\r\nx-a: ${apiKey.repeat(500)}\r\n\r\n`)
      fault.note('requests with a key in a wrong place', answers.length + 2)
      expect(answers.filter((answer) => !answer.startsWith('4'))).toEqual([])
    }, 60_000)

    it('an API key in exchanges that are logged, stored for idempotency, or cached', async () => {
      const { apiKey } = fault.fleet.workspace
      const messages = [{ role: 'user', name: apiKey, content: `My key is ${apiKey}, and again: "${apiKey}".` }]
      const labels = { 'x-svc-tag': apiKey, 'x-svc-trace-id': apiKey }
      const answers = [
        await fault.ask({ model: 'sim/small', body: { messages }, headers: labels }),
        await fault.ask({ model: 'sim/small', body: { messages, stop: [apiKey], metadata: { key: apiKey } } }),
        await fault.ask({ model: 'sim/small', headers: { 'idempotency-key': apiKey } }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    }, 30_000)

    it('invalid keys', async () => {
      const { fleet } = fault
      const { apiKey, keyId } = await fleet.workspace.addMember('member')
      fault.keepSecret('a revoked key', apiKey)
      const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
      await revokeApiKey(db, { id: keyId, at: new Date() })
      await db.$disconnect()
      const wrong = `${apiKey.slice(0, -4)}AAAA`
      fault.keepSecret('a mistyped key', wrong)
      for (const key of [apiKey, wrong]) expect((await fault.ask({ model: 'sim/echo', apiKey: key })).status).toBe(401)
    }, 30_000)

    it('a provider key that the provider repeats in its errors', async () => {
      const secret = `sk-own-${randomBytes(16).toString('hex')}`
      fault.keepSecret("a workspace's key for a provider", secret)
      await bringKey(fault, secret)
      const answers = [
        await fault.ask({ model: 'own/says-401' }),
        await fault.ask({ model: 'own/says-500' }),
        await fault.ask({ model: 'own/says-400' }),
        await fault.ask({ model: 'own/says-nonsense', stream: true }),
      ]
      for (const { status, text } of answers) {
        expect(status).toBeGreaterThanOrEqual(400)
        expect(text).not.toContain(secret)
      }
    }, 30_000)

    it('the secret of a webhook whose receiver does not answer', async () => {
      const api = apiOf(fault.fleet, fault.fleet.workspace)
      const { json, status, text } = await api('POST', '/webhooks', {
        url: `https://127.0.0.1:${await anyFreePort()}/hook`,
        events: ['eval.done'],
      })
      expect([status, text]).toEqual([201, expect.stringContaining('whsec_')])
      fault.keepSecret('the secret of a webhook', json.secret)
      fault.keepSecret('the bytes of the secret of a webhook', json.secret.replace(/^whsec_/, ''))
      await reportAnEval(fault)
      await eventually(async () => {
        const deliveries = await api('GET', `/webhooks/${json.id}/deliveries`)
        expect(deliveries.json.data[0].attempts.length).toBeGreaterThan(0)
      })
    }, 30_000)
  },
)

/** Starts a provider that repeats the received key in every answer. */
async function layOut(onStop: OnStop) {
  const leaky = createServer((request, response) => {
    const reported = request.headers.authorization ?? ''
    request.resume()
    request.on('end', () => {
      const status = Number(/says-(\d+)/.exec(request.url ?? '')?.[1] ?? 200)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          error: { message: `Incorrect API key provided: ${reported}`, code: reported, param: reported },
        }),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(leaky, 'listening')
  onStop(async () => leaky.close().closeAllConnections())
  const origin = `http://127.0.0.1:${(leaky.address() as AddressInfo).port}`
  const kinds = ['says-401', 'says-500', 'says-400', 'says-nonsense']
  const catalog = await mountedCatalog({
    providers: [{ id: 'own', base_url: origin, api_key_env: 'NOBODY_SET_THIS_API_KEY' }],
    models: kinds.map((kind) => ({ id: `own/${kind}`, deployments: [{ id: kind, base_url: `${origin}/${kind}` }] })),
  })
  onStop(() => catalog.remove())
  return {
    aliases: true,
    env: {
      LOG_LEVEL: 'debug',
      CATALOG_DIR: catalog.folder,
      BYOK_ALLOWED_HOSTS: '127.0.0.1',
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    },
  }
}

/** Publishes an event like the eval worker does at the end of an eval. */
async function reportAnEval({ fleet }: Fault): Promise<void> {
  const { workspaceId, userId, keyId } = fleet.workspace
  const requestId = randomUUID()
  const { path } = publishWebhookEvent
  const bound = { audience: 'alias', requestId, method: 'POST', path }
  const identity = { workspaceId, userId, keyId, role: 'owner' } as const
  const response = await fetch(fleet.alias.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [requestIdHeader]: requestId,
      [identityHeader]: signIdentity(keyOfCaller(fleet.keyFor('alias'), 'eval'), bound, identity, Date.now()),
    },
    body: JSON.stringify({ id: randomUUID(), type: 'eval.done', timestamp: new Date().toISOString(), data: {} }),
  })
  expect([response.status, await response.text()]).toEqual([expect.any(Number), expect.not.stringContaining('error')])
}

async function bringKey({ fleet }: Fault, secret: string): Promise<void> {
  const { workspaceId } = fleet.workspace
  const box = createSecretBox({ keys: parseNamedKeys(fleet.encryptionKeys), randomBytes })
  const sealed = box.seal(secret, providerKeyPlace({ workspaceId, provider: 'own' }))
  const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
  const row = { id: randomUUID(), workspaceId, provider: 'own', baseUrl: null, display: 'xxxx', createdBy: null }
  await saveProviderKey(db, { ...row, ...sealed, at: new Date() })
  await db.$disconnect()
}
