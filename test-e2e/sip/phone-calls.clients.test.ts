import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readTones } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { choosePort } from '@ratchet/infra/processes/free-port'
import { findSipPrograms, withoutSipPrograms } from '@ratchet/infra/sip-programs/find-sip-programs'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { eventually } from '@ratchet/testing/eventually'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { startVoiceFleet, type VoiceFleet } from '../voice/voice-fleet.ts'
import { loopback } from './real-agent.ts'
import { type Baresip, startBaresip } from './start-baresip.ts'

/* A telephone of others (baresip) calls a number of a fleet, and is called by it. Each side is read word for word, and the calls are charged. */

const user = '+493087654321'
const phoneSays = 'What is the time in Berlin?'
const nanoPerMinute = 60_000_000

let phone: Baresip
let voice: VoiceFleet
let sipPort: number

const withPrograms = process.env[withoutSipPrograms] === undefined ? it : it.skip

beforeAll(async () => {
  if (process.env[withoutSipPrograms] !== undefined) return
  const programs = await findSipPrograms()
  if (programs.kind === 'missing') throw new Error(programs.reason)
  // The agent speaks first.
  const tones = createToneSpeaker(8_000).say(phoneSays).pcm
  const says = new Int16Array(5 * 8_000 + tones.length)
  says.set(tones, 5 * 8_000)
  phone = await startBaresip(programs, { says, codec: 'PCMU', user })
  sipPort = await anyFreePort()
  const firstPort = await choosePort({ preferred: 33_600 })
  voice = await startVoiceFleet({
    env: {
      SIP_LISTEN: `${loopback}:${sipPort}`,
      SIP_ADDRESS: `${loopback}:${sipPort}`,
      RTP_PORTS: `${firstPort}-${firstPort + 99}`,
      WEBHOOK_ALLOWED_HOSTS: loopback,
      VOICE_RATES_DIR: ratesWithTelephony(),
    },
  })
}, 300_000)
afterAll(async () => {
  await phone?.stop()
  await voice?.stop()
})

/** The shipped rates, with a price of the trunk: a tenth of a cent for each second. */
function ratesWithTelephony(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratchet-rates-'))
  const shipped = path.join(import.meta.dirname, '../../services/voice/catalog/rates/sim.json')
  copyFileSync(shipped, path.join(folder, 'sim.json'))
  const rate = { kind: 'telephony', provider: 'sip', prefix: '', nano_per_minute: nanoPerMinute }
  const rates = ['inbound', 'outbound'].map((direction) => ({ id: direction, direction, ...rate }))
  writeFileSync(path.join(folder, 'sip.json'), JSON.stringify(rates))
  return folder
}

async function newNumber(agentId: string, e164: string) {
  const sip = { termination_uri: `sip:${loopback}:${phone.port}`, allowed_ips: [loopback] }
  const { status, body } = await voice.ask('POST', '/numbers', { e164, provider: 'sip', agent_id: agentId, sip })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

const seldom = { withinMs: 60_000, everyMs: 1_000 }
const wordsOf = (pcm: Int16Array) =>
  readTones(pcm, 8_000)
    .map(({ text }) => text)
    .join(' ')

async function settled(id: string) {
  return eventually(
    async () => {
      const { body } = await voice.ask('GET', `/calls/${id}`)
      return body.ended_at !== null && body.cost?.settled === true ? body : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
}

/** The call as it was written is the call as it was heard, and costs what the wallet lost. */
async function expectHeardAndCharged(id: string, before: bigint, ended: object): Promise<void> {
  const call = await settled(id)
  const said = call.transcript.map(({ role, text }: { role: string; text: string }) => [role, text])
  expect(said.slice(0, 2)).toEqual([
    ['agent', 'Hello there.'],
    ['caller', phoneSays],
  ])
  expect(wordsOf(phone.heard())).toBe(`${said[0][1]} ${said[2][1]}`)
  expect(call).toMatchObject({ type: 'phone', status: 'completed', worker_generations: 1, ...ended })
  const { telephony_usd: telephony, total_usd: total } = call.cost
  expect(telephony).toBeCloseTo((Math.ceil(call.duration_seconds) * nanoPerMinute) / 60 / 1e9, 8)
  const after = (await ledgerAtRest(voice.fleet, voice.workspace)).balance
  expect(Number(before - after) / 1e9).toBeCloseTo(total, 8)
}

async function whenAnswered(id: string): Promise<void> {
  await eventually(async () => {
    const { body } = await voice.ask('GET', `/calls/${id}`)
    expect(body.transcript).toHaveLength(3)
  }, seldom)
}

withPrograms(
  'is called by a telephone: a conversation word for word, until the caller hangs up',
  async () => {
    const before = (await ledgerAtRest(voice.fleet, voice.workspace)).balance
    const number = await newNumber(await voice.newAgent(), '+493012345678')
    expect(number.sip.inbound_uri).toBe(`sip:${number.id}@${loopback}:${sipPort}`)
    const check = await voice.ask('POST', `/numbers/${number.id}/check`)
    expect(check.body).toMatchObject({ ok: true })
    phone.command('dial', number.sip.inbound_uri)
    const id = await eventually(async () => {
      const { body } = await voice.ask('GET', `/calls?number_id=${number.id}&direction=inbound`)
      return (body.data[0]?.id as string | undefined) ?? null
    }, seldom)
    await whenAnswered(id)
    phone.command('hangup')
    const parties = { to_number: '+493012345678', from_number: user }
    await expectHeardAndCharged(id, before, { ended_reason: 'caller_hangup', direction: 'inbound', ...parties })
  },
  180_000,
)

withPrograms(
  'calls a telephone: a conversation word for word, until the API hangs up',
  async () => {
    const before = (await ledgerAtRest(voice.fleet, voice.workspace)).balance
    const agentId = await voice.newAgent()
    const number = await newNumber(agentId, '+493012345679')
    const created = await voice.ask('POST', '/calls/create', {
      agent_id: agentId,
      to_number: user,
      number_id: number.id,
    })
    expect(created.status).toBe(201)
    const { id } = created.body
    await whenAnswered(id)
    await voice.ask('POST', `/calls/${id}/stop`)
    await eventually(() => expect(phone.events.at(-1)?.type).toBe('CALL_CLOSED'))
    await expectHeardAndCharged(id, before, { ended_reason: 'api_stop', direction: 'outbound', to_number: user })
  },
  180_000,
)
