import { createToneReader, readTones, type ToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { findSipPrograms, withoutSipPrograms } from '@ratchet/infra/sip-programs/find-sip-programs'
import type { IncomingCall } from '@ratchet/sip/agent/incoming-call'
import type { SipLeg } from '@ratchet/sip/agent/sip-leg'
import { eventually } from '@ratchet/testing/eventually'
import { loopback, type RealAgent, startRealAgent } from './real-agent.ts'
import { type Baresip, startBaresip } from './start-baresip.ts'

/* A telephone of others (baresip) calls our agent and is called by it. What each side hears is read word for word. */

const phoneSays = 'hello agent this is a telephone of another maker speaking to you'
const agentSays = 'good morning caller you talk to an agent that hears every word'

let phone: Baresip
let ours: RealAgent
let legs: SipLeg[]
let keys: string[]
let ends: string[]
let holds: boolean[]
let heard: string[]
let reader: ToneReader

const withPrograms = process.env[withoutSipPrograms] === undefined ? it : it.skip

beforeAll(async () => {
  if (process.env[withoutSipPrograms] !== undefined) return
  const programs = await findSipPrograms()
  if (programs.kind === 'missing') throw new Error(programs.reason)
  phone = await startBaresip(programs, { says: createToneSpeaker(8_000).say(phoneSays).pcm, codec: 'PCMA' })
  const target = { transport: 'udp', host: loopback, port: phone.port } as const
  const trunk = { id: 'phone', addresses: [loopback], target, credentials: null }
  ours = await startRealAgent({ trunks: [trunk], onInvite: answer }, { firstPort: 31_500 })
})

afterAll(async () => {
  await phone?.stop()
  await ours?.close()
})

beforeEach(() => {
  legs = []
  keys = []
  ends = []
  holds = []
  heard = []
  reader = createToneReader(8_000)
})

const events = {
  onAudio: (pcm: Int16Array) => heard.push(...reader.push(pcm).map(({ text }) => text)),
  onDtmf: (key: string) => keys.push(key),
  onHold: (isHeld: boolean) => holds.push(isHeld),
  onEnded: (end: string) => ends.push(end),
}

function answer(call: IncomingCall): void {
  call.ring()
  void call.answer(events).then((leg) => legs.push(leg))
}

/** Reading a recording takes time that the audio of the call needs too. */
const seldom = { everyMs: 1_000 }

const wordsOf = (pcm: Int16Array) =>
  readTones(pcm, 8_000)
    .map(({ text }) => text)
    .join(' ')

withPrograms('is called by the telephone: words both ways, keys, hold, and its BYE', async () => {
  phone.command('dial', `sip:agent@${loopback}:${ours.port}`)
  const leg = await eventually(() => legs[0] ?? null)
  leg.send(createToneSpeaker(8_000).say(agentSays).pcm)
  await eventually(() => expect(heard.join(' ')).toBe(phoneSays))
  await eventually(() => expect(wordsOf(phone.heard())).toBe(agentSays), seldom)
  expect(leg.snapshot().plan.codec).toBe('PCMA')

  for (const key of ['5', '#']) phone.command('sndcode', key)
  await eventually(() => expect(keys).toEqual(['5', '#']))

  phone.command('hold')
  await eventually(() => expect(holds).toEqual([true]))
  phone.command('resume')
  await eventually(() => expect(holds).toEqual([true, false]))

  phone.command('hangup')
  await eventually(() => expect(ends).toEqual(['remote_bye']))
  expect(leg.stats.ignored).toBe(0)
  await eventually(() => expect(ours.media.used).toBe(0))
})

withPrograms('calls the telephone: words both ways, keys, hold, and our BYE', async () => {
  const to = `sip:phone@${loopback}:${phone.port}`
  const leg = await ours.agent.dial({ trunkId: 'phone', to, from: '+4930', events }).answered
  leg.send(createToneSpeaker(8_000).say(agentSays).pcm)
  await eventually(() => expect(heard.join(' ')).toBe(phoneSays))
  await eventually(() => expect(wordsOf(phone.heard())).toBe(agentSays), seldom)

  leg.sendDtmf('7')
  await eventually(() =>
    expect(phone.events.some(({ type, param }) => type === 'CALL_DTMF_START' && param === '7')).toBe(true),
  )

  await leg.hold(true)
  expect(leg.snapshot().plan.direction).toBe('recvonly')
  await leg.hold(false)
  expect(leg.snapshot().plan.direction).toBe('sendrecv')

  leg.hangup('done')
  await eventually(() => expect(phone.events.at(-1)?.type).toBe('CALL_CLOSED'))
  expect(ends).toEqual(['local_bye'])
})
