import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Json } from './judged-traffic.ts'
import { agentSettings, newVoiceKey } from './voice/voice-fleet.ts'

/* A call from a browser, whose microphone is a file with the language of tones, against a real fleet. */

const sampleRate = 16_000
const question = 'What is the time in Berlin?'

let fleet: Fleet
let browser: Browser
let visitor: Visitor
let page: Page
let folder: string
let agent: Json
let key: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'microphone-'))
  const file = path.join(folder, 'microphone.wav')
  await writeFile(file, spokenAfter(6_000, question))
  const microphone = [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}`,
  ]
  ;[fleet, browser] = await Promise.all([
    startFleet({ dashboard: true, judges: true, voice: true }),
    openBrowser(microphone),
  ])
  key = await newVoiceKey(fleet, fleet.workspace)
  agent = (await ask('POST', '/agents', agentSettings)).body
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
  await rm(folder, { recursive: true, force: true })
}, 180_000)

async function ask(method: string, place: string, body?: object): Promise<{ status: number; body: Json }> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${fleet.voiceUrl}/v1${place}`, { method, headers, ...sent })
  return { status: response.status, body: await response.json() }
}

/** A WAV file of silence, a sentence, and silence. The browser plays it again and again. */
function spokenAfter(silentMs: number, text: string): Buffer {
  const { pcm } = createToneSpeaker(sampleRate).say(text)
  const before = (silentMs * sampleRate) / 1_000
  const samples = new Int16Array(before + pcm.length + 3 * sampleRate)
  samples.set(pcm, before)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.byteLength, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(2 * sampleRate, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([head, Buffer.from(samples.buffer)])
}

const at = (place: string) => `/w/${fleet.workspace.slug}/voice${place}`

it('calls an agent with the microphone, shows what is said, and the call as it was heard', async () => {
  await page.goto(at(''))
  await page.getByText('Reception').click()
  await page.getByRole('heading', { name: 'Reception', level: 1 }).waitFor()
  const begin = page.getByRole('button', { name: 'Call with the microphone' })
  await begin.focus()
  await page.keyboard.press('Enter')
  const said = page.getByRole('region', { name: 'What is said' })
  await said.getByText('Hello there.').waitFor({ timeout: 30_000 })
  await said.getByText(question).first().waitFor({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Mute' }).click()
  await page.getByRole('button', { name: 'Unmute' }).waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByLabel('Write instead of speaking').fill('And in Rome?')
  await page.keyboard.press('Enter')
  await said.getByText('And in Rome?').waitFor()
  await said.getByRole('listitem').nth(4).waitFor({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Hang up' }).click()
  await page.getByRole('link', { name: 'Open the call' }).click()
  await page.getByRole('heading', { name: 'Call', level: 1 }).waitFor()
  await page.getByText('The caller hung up.').waitFor({ timeout: 30_000 })
  await page.getByText('How long the caller waited').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(sideways)).toBe(0)
  expect(visitor.complaints).toEqual([])
  const id = page.url().split('/').at(-1)
  const call = await eventually(
    async () => {
      const { body } = await ask('GET', `/calls/${id}`)
      return body.cost?.settled === true ? body : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  expect(call).toMatchObject({ agent_id: agent.id, status: 'completed', ended_reason: 'caller_hangup' })
  const heard = call.transcript.map(({ role, text }: { role: string; text: string }) => [role, text])
  expect(heard.slice(0, 2)).toEqual([
    ['agent', 'Hello there.'],
    ['caller', question],
  ])
  expect(heard).toContainEqual(['caller', 'And in Rome?'])
  expect(call.cost_usd).toBeGreaterThan(0)
}, 240_000)

it('creates an agent, shows what is wrong with it, changes it as a draft, publishes it and deletes it', async () => {
  await page.setViewportSize({ width: 1_280, height: 900 })
  await page.goto(at(''))
  await page.getByRole('button', { name: 'New agent' }).click()
  await page.getByRole('heading', { name: 'New voice agent', level: 1 }).waitFor()
  await page.getByLabel('What it is told').fill('You take orders of {{shop}}.')
  await page.getByRole('button', { name: 'Create the agent' }).click()
  await page.locator('[aria-invalid=true]').first().waitFor()
  await page.getByLabel('Name').fill('Orders')
  await page.getByLabel('Model', { exact: false }).first().fill('sim/assistant')
  await choose('Language', /en-US/)
  await choose('Voice', 'sim/readable')
  await page.getByRole('textbox', { name: 'First message' }).fill('Orders, hello.')
  await choose('Recording', /after the caller was told/)
  await page.getByLabel('What is said about it').fill('This call is recorded.')
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByRole('button', { name: 'Create the agent' }).click()
  // The server knows no value for the variable of its text.
  await page.getByRole('alert').first().waitFor()
  await page.getByRole('combobox', { name: 'Variables' }).fill('shop')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create the agent' }).click()
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  expect((await ask('GET', `/agents/${id}`)).body).toMatchObject({
    name: 'Orders',
    voice: 'sim/readable',
    first_message: 'Orders, hello.',
    recording_consent: 'announce',
    version: 1,
    published_version: 1,
  })
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('textbox', { name: 'First message' }).fill('Orders, good day.')
  await page.getByRole('button', { name: 'Save as a draft' }).click()
  await page.getByRole('button', { name: 'Publish version 2' }).waitFor()
  expect((await ask('GET', `/agents/${id}`)).body).toMatchObject({ version: 2, published_version: 1 })
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByRole('button', { name: 'Publish version 2' }).click()
  await page.getByRole('button', { name: 'Publish version 1' }).waitFor()
  const published = (await ask('GET', `/agents/${id}`)).body
  expect(published).toMatchObject({ published_version: 2, first_message: 'Orders, good day.' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByRole('heading', { name: 'Voice agents', level: 1 }).waitFor()
  expect((await ask('GET', `/agents/${id}`)).status).toBe(404)
}, 240_000)

async function choose(label: string, option: string | RegExp): Promise<void> {
  await page
    .getByRole('combobox', { name: label })
    .or(page.getByRole('textbox', { name: label }))
    .first()
    .click()
  await page.getByRole('option', { name: option }).first().click()
}
