import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { connectPool } from '@ratchet/db/connect-pool'
import { CarrierStream } from '@ratchet/testing/carrier-stream'
import { eventually } from '@ratchet/testing/eventually'
import { ledgerAtRest } from './ledger-oracle.ts'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

let voice: VoiceFleet
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
beforeAll(async () => {
  voice = await startVoiceFleet()
}, 300_000)
afterAll(() => voice.stop())

/** A number of an account at Telnyx, which no test can ask whether it has it. */
async function addNumber(agentId: string): Promise<string> {
  const { workspaceId, userId } = voice.workspace
  const settings = {
    allowed_countries: ['US'],
    max_calls_per_second: 1,
    max_concurrent: 10,
    daily_spend_usd: 50,
    telnyx: {
      account_sid: 'account-1',
      application_sid: 'application-1',
      public_key: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
    },
  }
  const id = randomUUID()
  const pool = connectPool({ databaseUrl: voice.fleet.databaseUrl, max: 1 })
  const values = [id, workspaceId, userId, uuidOf('agent', agentId), JSON.stringify(settings)]
  await pool.query(
    `INSERT INTO voice_number (id, workspace_id, owner_user_id, e164, provider, agent_id, direction, settings, created_at, updated_at)
     VALUES ($1, $2, $3, '+15005550006', 'telnyx', $4, 'both', $5, now(), now())`,
    values,
  )
  await pool.end()
  return publicId('voiceNumber', id)
}

async function ask(url: string, fields: Record<string, string>, key = privateKey) {
  const body = new URLSearchParams(fields).toString()
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'telnyx-timestamp': timestamp,
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64'),
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

const unescaped = (text: string | undefined) => (text ?? '').replaceAll('&amp;', '&')

it('takes a call of a carrier through the edge, without a key: heard, written, paid and hung up', async () => {
  const number = await addNumber(await voice.newAgent())
  const url = `${voice.origin}/carriers/telnyx/${number}/voice`
  const fields = { CallSid: 'v3:call-1', From: '+15005550001' }
  expect((await ask(url, fields, generateKeyPairSync('ed25519').privateKey)).status).toBe(403)
  const { status, type, text } = await ask(url, fields)
  expect([status, type?.split(';')[0]]).toEqual([200, 'text/xml'])
  const media = unescaped(/<Stream url="([^"]+)"/.exec(text)?.[1])
  expect(media.startsWith(voice.origin.replace('http', 'ws'))).toBe(true)
  const stream = new CarrierStream(media, 'telnyx', 'v3:call-1')
  await eventually(() => (stream.ear.join(' ') === 'Hello there.' && stream.isQuiet ? true : null), {
    withinMs: 30_000,
  })
  stream.hangUp()
  const call = await eventually(
    async () => {
      const { body } = await voice.ask('GET', `/calls?number_id=${number}`)
      return body.data[0]?.status === 'completed' ? body.data[0] : null
    },
    { withinMs: 30_000 },
  )
  expect(call).toMatchObject({
    ended_reason: 'caller_hangup',
    from_number: '+15005550001',
    carrier: { provider: 'telnyx' },
  })
  const details = await eventually(
    async () => {
      const { body } = await voice.ask('GET', `/calls/${call.id}`)
      return body.cost?.settled === true ? body : null
    },
    { withinMs: 30_000 },
  )
  expect(details.transcript).toMatchObject([{ role: 'agent', text: 'Hello there.' }])
  expect(details.cost).toMatchObject({ telephony_usd: 0 })
  expect(details.cost.total_usd).toBeGreaterThan(0)
  const after = unescaped(/action="([^"]+)"/.exec(text)?.[1])
  expect((await ask(after, fields)).text).toContain('<Hangup/>')
  expect((await ledgerAtRest(voice.fleet, voice.workspace)).violations).toEqual([])
}, 240_000)
