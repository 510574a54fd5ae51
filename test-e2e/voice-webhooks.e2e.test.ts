import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller } from '@ratchet/testing/web-caller'
import { Webhook } from 'standardwebhooks'
import { apiOf } from './judged-traffic.ts'
import { loopbackCertificate } from './loopback-certificate.ts'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

let voice: VoiceFleet
let server: Server
let folder: string
const received: { readonly headers: Record<string, string>; readonly body: string }[] = []
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-voice-webhooks-'))
  const certificates = path.join(folder, 'ca.pem')
  await writeFile(certificates, loopbackCertificate.cert)
  voice = await startVoiceFleet({
    aliases: true,
    env: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', NODE_EXTRA_CA_CERTS: certificates },
  })
  server = createServer(loopbackCertificate, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
}, 300_000)
afterAll(async () => {
  server?.close()
  await voice.stop()
  await rm(folder, { recursive: true })
})

it('sends one signed message when a call begins and one when it has ended, in this order', async () => {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/calls`
  const events = ['call.started', 'call.ended', 'call.worker_lost', 'call.analyzed']
  const webhook = await apiOf(voice.fleet, voice.workspace)('POST', '/webhooks', { url, events })
  expect(webhook.status).toBe(201)
  const { body: call } = await voice.ask('POST', '/calls/create', { agent_id: await voice.newAgent(), type: 'web' })
  const caller = connectWebCaller(call.join_url, call.client_token)
  await eventually(() => (received.length >= 1 ? true : null), { withinMs: 45_000 })
  caller.hangUp()
  await caller.closed
  await eventually(() => (received.length >= 2 ? true : null), { withinMs: 45_000 })
  // Another call, that nobody answers: one message, and nothing more of the first one meanwhile.
  const { body: other } = await voice.ask('POST', '/calls/create', { agent_id: call.agent_id, type: 'web' })
  expect((await voice.ask('POST', `/calls/${other.id}/stop`)).status).toBe(200)
  await eventually(() => (received.length >= 3 ? true : null), { withinMs: 45_000 })
  const signed = new Webhook(webhook.json.secret)
  const messages = received.map(({ body, headers }) => signed.verify(body, headers) as Record<string, never>)
  const { body: ended } = await voice.ask('GET', `/calls/${call.id}`)
  expect(messages).toMatchObject([
    { type: 'call.started', data: { object: 'call', id: call.id, status: 'in_progress', ended_at: null } },
    { type: 'call.ended', data: { id: call.id, status: 'completed', ended_reason: 'caller_hangup' } },
    { type: 'call.ended', data: { id: other.id, status: 'canceled', answered_at: null } },
  ])
  expect(messages[1]?.data).toMatchObject({ ended_at: ended.ended_at, duration_seconds: ended.duration_seconds })
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  expect(JSON.stringify(messages)).not.toContain('Hello there')
}, 240_000)
