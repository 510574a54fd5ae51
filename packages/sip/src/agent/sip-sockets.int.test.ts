import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { writeRtp } from '@ratchet/audio/rtp/rtp-packet'
import { eventually } from '@ratchet/testing/eventually'
import { makeAuthority } from '@ratchet/testing/make-certificate'
import { seededRandom } from '@ratchet/testing/seeded-random'
import type { MediaSocket, SignallingSockets, SipPeer } from '../ports.ts'
import { openStreamSignalling } from '../sockets/create-stream-signalling.ts'
import { openUdpSignalling } from '../sockets/create-udp-signalling.ts'
import { joinSignalling } from '../sockets/join-signalling.ts'
import { loopback, realAgent } from './real-agents.fixture.ts'
import type { LegEvents, SipLeg } from './sip-leg.ts'

type Sockets = SignallingSockets & { readonly local: { readonly port: number }; close(): Promise<void> }

let open: Sockets[] = []

afterEach(async () => {
  for (const sockets of open) await sockets.close()
  open = []
})

function recordWords() {
  const words: string[] = []
  const keys: string[] = []
  const ends: string[] = []
  const reader = createToneReader(8_000)
  const events: LegEvents = {
    onAudio: (pcm) => words.push(...reader.push(pcm).map(({ text }) => text)),
    onDtmf: (key) => keys.push(key),
    onEnded: (end) => ends.push(end),
  }
  return { words, keys, ends, events }
}

/** A call between two agents over real sockets. */
async function connectAgents(
  openSockets: () => Promise<Sockets>,
  transport: SipPeer['transport'],
  { change, firstPort }: { readonly change?: (socket: MediaSocket) => MediaSocket; readonly firstPort: number },
) {
  const callerSockets = await openSockets()
  const calleeSockets = await openSockets()
  open.push(callerSockets, calleeSockets)
  const trunkTo = ({ local }: Sockets) => ({
    id: 'other',
    addresses: [loopback],
    target: { transport, host: loopback, port: local.port },
    credentials: null,
  })
  const near = recordWords()
  const far = recordWords()
  const farLegs: SipLeg[] = []
  const refuse = { trunks: [trunkTo(calleeSockets)], onInvite: () => {} }
  const caller = realAgent(joinSignalling({ [transport]: callerSockets }), refuse, {
    firstPort,
    ...(change && { change }),
  })
  const callee = realAgent(
    calleeSockets,
    {
      trunks: [trunkTo(callerSockets)],
      onInvite: (call) => void call.answer(far.events).then((leg) => farLegs.push(leg)),
    },
    { firstPort: firstPort + 100 },
  )
  const to = `sip:a@${loopback}:${calleeSockets.local.port}`
  const leg = await caller.dial({ trunkId: 'other', to, from: '1', events: near.events }).answered
  const farLeg = await eventually(() => farLegs[0] ?? null)
  return { leg, farLeg, near, far, caller, callee }
}

const text = 'one two three four five six seven eight nine ten eleven twelve'
const udp = () => openUdpSignalling({ host: loopback, port: 0 })

/** A network that loses, delays, reorders and repeats packets of audio. */
function badNetwork(loss: number): (socket: MediaSocket) => MediaSocket {
  const next = seededRandom(3)
  return (socket) => ({
    ...socket,
    sendRtp(packet, to) {
      if (next() < loss) return
      for (const delayMs of next() < 0.1 ? [0, 15] : [next() * 30])
        setTimeout(() => socket.sendRtp(packet, to), delayMs)
    },
  })
}

it('loses only the words of lost packets on a network that reorders, repeats and loses', async () => {
  const { leg, far, farLeg } = await connectAgents(udp, 'udp', { firstPort: 32_400, change: badNetwork(0.02) })
  leg.send(createToneSpeaker(8_000).say(text).pcm)
  await eventually(() => expect(leg.queuedMs).toBe(0))
  leg.sendDtmf('1#')
  await eventually(() => expect(far.keys).toEqual(['1', '#']))
  expect(text.split(' ')).toEqual(expect.arrayContaining(far.words))
  expect(far.words.length).toBeGreaterThanOrEqual(4)
  expect(new Set(far.words).size).toBe(far.words.length)
  const { duplicate, received } = farLeg.stats
  expect([duplicate > 5, received > 100]).toEqual([true, true])
  leg.hangup()
  await eventually(() => expect(far.ends).toEqual(['remote_bye']))
})

it('ignores audio from a third address', async () => {
  const { leg, farLeg, far } = await connectAgents(udp, 'udp', { firstPort: 32_600 })
  leg.send(createToneSpeaker(8_000).say(text).pcm)
  const { port } = farLeg.snapshot().own
  const intruder = createSocket('udp4')
  const intrude = () => {
    for (let sequence = 0; sequence < 200; sequence++) {
      const payload = new Uint8Array(160).fill(0x20)
      const packet = { payloadType: 0, isMarked: false, sequence, timestamp: sequence * 160, ssrc: 666, payload }
      intruder.send(writeRtp(packet), port, loopback)
    }
  }
  // Also before the first packet of the caller.
  intrude()
  await eventually(() => expect(far.words.length).toBeGreaterThan(2))
  const before = farLeg.stats.ignored
  intrude()
  await eventually(() => expect(farLeg.stats.ignored).toBe(before + 200))
  await eventually(() => expect(far.words.at(-1)).toBe('twelve'))
  expect(text.split(' ')).toEqual(expect.arrayContaining(far.words))
  intruder.close()
  leg.hangup()
})

it('calls over TCP, by the connection that there is', async () => {
  const tcp = () => openStreamSignalling({ host: loopback, port: 0, isPeer: () => true })
  const { leg, farLeg, far, near } = await connectAgents(tcp, 'tcp', { firstPort: 32_800 })
  await farLeg.hold(true)
  await leg.hold(false)
  leg.hangup()
  await eventually(() => expect([near.ends, far.ends]).toEqual([['local_bye'], ['remote_bye']]))
})

it('calls over TLS', async () => {
  const authority = makeAuthority('sip test')
  const { certificate: cert, key } = authority.issue()
  const secured = () =>
    openStreamSignalling({ host: loopback, port: 0, isPeer: () => true, tls: { cert, key, ca: authority.certificate } })
  const { leg, far, near } = await connectAgents(secured, 'tls', { firstPort: 33_000 })
  leg.hangup()
  await eventually(() => expect([near.ends, far.ends]).toEqual([['local_bye'], ['remote_bye']]))
})

it('ends connections of unknown addresses, and those that are no SIP', async () => {
  const ended = async (isPeer: boolean, text: string) => {
    const sockets = await openStreamSignalling({ host: loopback, port: 0, isPeer: () => isPeer })
    open.push(sockets)
    const socket = connect(sockets.local.port, loopback)
    let received = ''
    socket.on('data', (bytes) => (received += bytes.toString())).on('error', () => {})
    socket.write(text)
    await eventually(() => socket.closed)
    return received
  }
  expect(await ended(false, 'OPTIONS sip:a SIP/2.0\r\n')).toBe('')
  expect(await ended(true, 'GET / HTTP/1.1\r\n\r\n')).toBe('')
  expect(await ended(true, 'x'.repeat(9_000))).toBe('')
})

it('measures a trunk, and finds that one does not answer', async () => {
  const { caller } = await connectAgents(udp, 'udp', { firstPort: 33_200 })
  expect(await caller.ping('other')).toBeLessThan(1_000)
})
