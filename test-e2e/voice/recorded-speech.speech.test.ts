import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createResampler } from '@ratchet/audio/create-resampler'
import { createFlite } from '@ratchet/audio/flite'
import { choosePort } from '@ratchet/infra/processes/free-port'
import { findSipPrograms } from '@ratchet/infra/sip-programs/find-sip-programs'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../browser/open-browser.ts'
import { visitSignedIn } from '../browser/signed-in.ts'
import { type Fleet, startFleet } from '../fleet.ts'
import type { Json } from '../judged-traffic.ts'
import { loopback } from '../sip/real-agent.ts'
import { type Baresip, startBaresip } from '../sip/start-baresip.ts'
import { writeWav } from '../sip/wav-file.ts'
import { recognizeOffline, shareOf, sidesOf } from './offline-recognizer.ts'
import { agentSettings, newVoiceKey } from './voice-fleet.ts'

/*
 * Calls with real speech, of a telephone and of a browser. What each side said is recognized in their recordings by a program that
 * has nothing of ours, and compared with what was spoken, and with the transcript.
 */

const callerSays = 'Good morning. I would like to know when my parcel arrives, please.'
const agentSays = 'Hello, and thank you for calling. What can I do for you today?'
/**
 * Least share of the words of a sentence: models hear some words of a robot's voice differently. The agent's own recognizer is
 * small, and hears each part between two pauses alone.
 */
interface Bars {
  readonly recorded: number
  readonly written: number
}
const browserBars: Bars = { recorded: 0.85, written: 0.5 }
const telephoneBars: Bars = { recorded: 0.8, written: 0.5 }

let fleet: Fleet
let browser: Browser
let phone: Baresip
let folder: string
let key: string
let agent: Json

beforeAll(async () => {
  const models = process.env.VOICE_LOCAL_SPEECH_DIR
  const programs = await findSipPrograms()
  if (models === undefined || programs.kind === 'missing') throw new Error('Run `npm run test:speech` with baresip.')
  folder = mkdtempSync(path.join(tmpdir(), 'speech-'))
  const flite = createFlite(path.join(models, 'flite.wasm'))
  const { pcm, sampleRate } = await flite({ text: callerSays, voice: 'rms', speed: 1 })
  const microphone = path.join(folder, 'microphone.wav')
  writeWav(microphone, afterSilence(pcm, 10 * sampleRate), sampleRate)
  const narrow = createResampler(sampleRate, 8_000).push(pcm)
  phone = await startBaresip(programs, { says: afterSilence(narrow, 6 * 8_000), codec: 'PCMU', user: '+493087654321' })
  const sip = `${loopback}:${await anyFreePort()}`
  const port = await choosePort({ preferred: 35_600 })
  ;[fleet, browser] = await Promise.all([
    startFleet({
      dashboard: true,
      judges: true,
      voice: true,
      env: {
        VOICE_LOCAL_SPEECH_DIR: models,
        SIP_LISTEN: sip,
        SIP_ADDRESS: sip,
        RTP_PORTS: `${port}-${port + 99}`,
        WEBHOOK_ALLOWED_HOSTS: loopback,
      },
    }),
    openBrowser([
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}`,
    ]),
  ])
  key = await newVoiceKey(fleet, fleet.workspace)
  const settings = { voice: 'local/flite-slt', first_message: agentSays, recording_enabled: true }
  agent = (await ask('POST', '/agents', { ...agentSettings, ...settings, max_response_tokens: 8 })).body
}, 500_000)
afterAll(async () => {
  await browser?.close()
  await phone?.stop()
  await fleet?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

function afterSilence(pcm: Int16Array, samples: number): Int16Array {
  const all = new Int16Array(samples + pcm.length + samples)
  all.set(pcm, samples)
  return all
}

async function ask(method: string, place: string, body?: object): Promise<{ status: number; body: Json }> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${fleet.voiceUrl}/v1${place}`, { method, headers, ...sent })
  return { status: response.status, body: await response.json() }
}

/** What a program of others recognizes in the recording of a call, and the call as it was written. */
async function expectSpoken(id: string, bars: Bars): Promise<void> {
  const call = await eventually(
    async () => {
      const { body } = await ask('GET', `/calls/${id}`)
      return body.ended_at === null || body.cost?.settled !== true ? null : body
    },
    { withinMs: 60_000, everyMs: 500 },
  )
  const answer = await fetch(`${fleet.voiceUrl}/v1/calls/${id}/recording`, { headers: { 'x-api-key': key } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/wav'])
  const file = Buffer.from(await answer.arrayBuffer())
  expect(call.recording).toMatchObject({ bytes: file.length, partial: false })
  const { sides, sampleRate } = sidesOf(file)
  const [caller = '', spoken = ''] = await recognizeOffline(sides, sampleRate)
  const written = (role: string) =>
    call.transcript
      .filter((turn: Json) => turn.role === role)
      .map((turn: Json) => turn.text)
      .join(' ')
  expect(shareOf(callerSays, caller)).toBeGreaterThanOrEqual(bars.recorded)
  expect(shareOf(agentSays, spoken)).toBeGreaterThanOrEqual(bars.recorded)
  expect(shareOf(callerSays, written('caller'))).toBeGreaterThanOrEqual(bars.written)
  expect(written('agent')).toContain(agentSays)
}

const seldom = { withinMs: 60_000, everyMs: 1_000 }

it('is understood, and understands, in a call of a telephone', async () => {
  const sip = { termination_uri: `sip:${loopback}:${phone.port}`, allowed_ips: [loopback] }
  const number = (await ask('POST', '/numbers', { e164: '+493012345678', provider: 'sip', agent_id: agent.id, sip }))
    .body
  phone.command('dial', number.sip.inbound_uri)
  const id = await eventually(async () => {
    const { body } = await ask('GET', `/calls?number_id=${number.id}`)
    return body.data[0]?.id ?? null
  }, seldom)
  await eventually(async () => {
    const { body } = await ask('GET', `/calls/${id}`)
    return body.transcript.filter((turn: Json) => turn.role === 'agent').length > 1
  }, seldom)
  await ask('POST', `/calls/${id}/stop`)
  await expectSpoken(id, telephoneBars)
}, 240_000)

it('is understood, and understands, in a call of a browser, whose recording its page plays', async () => {
  const { page } = await visitSignedIn(fleet, browser)
  await page.goto(`/w/${fleet.workspace.slug}/voice`)
  await page.getByText('Reception').click()
  await page.getByRole('button', { name: 'Call with the microphone' }).click()
  const said = page.getByRole('region', { name: 'What is said' })
  await said.getByRole('listitem').nth(2).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Hang up' }).click()
  await page.getByRole('link', { name: 'Open the call' }).click()
  await page.getByRole('heading', { name: 'Call', level: 1 }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  await expectSpoken(id, browserBars)
  await page.reload()
  const player = page.getByLabel('Recording of the call')
  await player.waitFor()
  await player.evaluate((element) => {
    const audio = element as unknown as { muted: boolean; play(): Promise<void> }
    audio.muted = true
    return audio.play()
  })
  const seconds = () => player.evaluate((element) => (element as unknown as { currentTime: number }).currentTime)
  await eventually(async () => expect(await seconds()).toBeGreaterThan(0.5))
}, 240_000)
