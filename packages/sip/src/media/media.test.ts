import { encodeMuLaw } from '@ratchet/audio/g711'
import { createToneReader, readTones } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { parseRtp, type RtpPacket, writeRtp } from '@ratchet/audio/rtp/rtp-packet'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { createAudioReceiver } from './create-audio-receiver.ts'
import { createAudioSender } from './create-audio-sender.ts'
import { createMediaLatch } from './media-latch.ts'

const codec = { codec: 'PCMU', payloadType: 0, eventPayloadType: 101, isSending: true } as const
const numbers = { ssrc: 1, sequence: 65_530, timestamp: 0xffff_ff00 }

/** Packets of speech, through bytes and back. */
function packetsOf(text: string, from = numbers): RtpPacket[] {
  const sender = createAudioSender(codec, from)
  sender.queue(createToneSpeaker(8_000).say(text).pcm)
  const packets: RtpPacket[] = []
  while (sender.queuedMs > 0) {
    const packet = parseRtp(writeRtp(sender.next() ?? never()))
    if (packet !== null) packets.push(packet)
  }
  return packets
}

function never(): never {
  throw new Error('no packet')
}

interface Arrival {
  readonly atMs: number
  readonly packet: RtpPacket
}

/** Plays arrivals into a receiver. @returns the words that it gave out, and the receiver */
function play(arrivals: readonly Arrival[], endMs: number, tickMs = 20) {
  const keys: string[] = []
  const receiver = createAudioReceiver({ eventPayloadType: 101 }, (key) => keys.push(key))
  const words: string[] = []
  const reader = createToneReader(8_000)
  const order = arrivals.toSorted((a, b) => a.atMs - b.atMs)
  let at = 0
  for (let now = 0; now < endMs; now += tickMs) {
    for (; at < order.length && (order[at]?.atMs ?? 0) <= now; at++)
      receiver.receive(order[at]?.packet ?? never(), order[at]?.atMs ?? 0)
    const frame = receiver.take()
    if (frame !== null) words.push(...reader.push(frame).map(({ text }) => text))
  }
  return { words: words.join(' '), receiver, keys }
}

const text = 'every word of this sentence has to arrive as it was said'

describe('audio that arrives', () => {
  it('is put in order, once each, across the wraps of all numbers', () => {
    const next = seededRandom(5)
    const arrivals = packetsOf(text).flatMap((packet, i) => {
      const arrival = { atMs: 100 + i * 20 + next() * 35, packet }
      return next() < 0.2 ? [arrival, { ...arrival, atMs: arrival.atMs + 10 }] : [arrival]
    })
    const { words, receiver } = play(arrivals, 9_000)
    expect(words).toBe(text)
    expect(receiver.counts.duplicate).toBeGreaterThan(10)
    expect(receiver.report()).toMatchObject({ ssrc: 1, lost: 0, lostShare: 0 })
  })

  it('loses only words that a lost packet was part of', () => {
    const next = seededRandom(9)
    const kept = packetsOf(text).filter(() => next() >= 0.02)
    const { words, receiver } = play(
      kept.map((packet, i) => ({ atMs: 100 + i * 20, packet })),
      9_000,
    )
    expect(text.split(' ')).toEqual(expect.arrayContaining(words.split(' ')))
    expect(words.split(' ').length).toBeGreaterThan(5)
    expect(receiver.report()?.lostShare).toBeGreaterThan(0)
  })

  it('has late packets in it, up to 80 ms, and 5 % of losses', () => {
    const next = seededRandom(11)
    const long = Array.from({ length: 60 }, (_, i) => `w${i}`).join(' ')
    const arrivals = packetsOf(long)
      .map((packet, i) => ({ atMs: 100 + i * 20 + next() * 80, packet }))
      .filter(() => next() >= 0.05)
    const { words, receiver } = play(arrivals, 40_000)
    expect(long.split(' ')).toEqual(expect.arrayContaining(words.split(' ')))
    expect(words.split(' ').length).toBeGreaterThan(20)
    const { received, late } = receiver.counts
    expect(late / received).toBeLessThan(0.05)
  })

  it('goes on with a new source after two packets of it, and is not disturbed by one', () => {
    const first = packetsOf('the first part')
    const second = packetsOf('and the second part', { ssrc: 77, sequence: 5, timestamp: 1_000 })
    const foreign = { ...(packetsOf('x')[0] ?? never()), ssrc: 3 }
    const arrivals = [...first, ...second].map((packet, i) => ({ atMs: 100 + i * 20, packet }))
    const { words } = play([...arrivals, { atMs: 400, packet: foreign }], 9_000)
    expect(words.startsWith('the first part')).toBe(true)
    expect(words.endsWith('the second part')).toBe(true)
  })

  it.each([80, 240, 320])('of packets with %d samples is cut into frames', (samples) => {
    const { pcm } = createToneSpeaker(8_000).say(text)
    const arrivals: Arrival[] = []
    for (let at = 0; at < pcm.length; at += samples) {
      const payload = encodeMuLaw(pcm.subarray(at, at + samples))
      const packet = {
        payloadType: 0,
        isMarked: false,
        sequence: arrivals.length,
        timestamp: 500 + at,
        ssrc: 4,
        payload,
      }
      arrivals.push({ atMs: 100 + at / 8, packet })
    }
    expect(play(arrivals, 9_000).words).toBe(text)
  })

  it('does not fall behind a sender whose clock is too fast', () => {
    const packets: RtpPacket[] = []
    for (let i = 0; i < 90_000; i++) {
      packets.push({
        payloadType: 0,
        isMarked: false,
        sequence: i & 0xffff,
        timestamp: i * 160,
        ssrc: 9,
        payload: new Uint8Array(160).fill(0xff),
      })
    }
    const receiver = createAudioReceiver({ eventPayloadType: null }, () => {})
    let taken = 0
    // Half an hour, 100 millionths too fast.
    for (let i = 0, now = 0; i < packets.length; now += 20) {
      for (; i < packets.length && i * 20 * 0.9999 <= now; i++) receiver.receive(packets[i] ?? never(), i * 20 * 0.9999)
      if (receiver.take() !== null) taken++
    }
    const { trimmed, lost } = receiver.counts
    expect([lost, packets.length - taken - trimmed < 10]).toEqual([0, true])
    expect(trimmed).toBeGreaterThan(0)
  })

  it('has each key once, whatever is lost of its packets', () => {
    const sender = createAudioSender(codec, numbers)
    sender.press('1#')
    const packets = Array.from({ length: 40 }, () => sender.next() ?? never())
    const events = packets.filter(({ payloadType }) => payloadType === 101)
    expect(events.filter(({ isMarked }) => isMarked)).toHaveLength(2)
    expect(events.filter(({ payload }) => ((payload[1] ?? 0) & 0x80) !== 0)).toHaveLength(6)
    for (const every of [1, 2, 5]) {
      const arrivals = packets.filter((_, i) => i % every === 0).map((packet, i) => ({ atMs: i * 20 * every, packet }))
      expect(play(arrivals, 2_000).keys).toEqual(['1', '#'])
    }
  })

  it('has keys as sound where the other side has no events', () => {
    const sender = createAudioSender({ ...codec, eventPayloadType: null }, numbers)
    sender.press('42')
    const keys: string[] = []
    const receiver = createAudioReceiver({ eventPayloadType: null }, (key) => keys.push(key))
    for (let now = 0; now < 2_000; now += 20) {
      receiver.receive(sender.next() ?? never(), now)
      receiver.take()
    }
    expect(keys).toEqual(['4', '2'])
  })
})

describe('audio that is sent', () => {
  it('is silence between, and nothing while the other side holds', () => {
    const sender = createAudioSender(codec, numbers)
    expect(sender.next()).toMatchObject({ isMarked: true, sequence: 65_530, timestamp: 0xffff_ff00 })
    expect(sender.next()?.payload.every((byte) => byte === 0xff)).toBe(true)
    sender.setPlan({ ...codec, isSending: false })
    expect(sender.next()).toBeNull()
    sender.setPlan(codec)
    expect(sender.next()).toMatchObject({ isMarked: true, sequence: 65_532, timestamp: 0xffff_ff00 + 480 - 2 ** 32 })
    expect(sender.playedMs).toBe(0)
    expect(readTones(new Int16Array(800), 8_000)).toEqual([])
  })
})

describe('the source of audio', () => {
  const described = { host: '192.0.2.1', port: 4_000 }
  const isPeer = (host: string) => host.startsWith('192.0.2.')
  const isReachable = (host: string) => host === '203.0.113.50'

  it('is the first of the peer and no other after it, but for the described one', () => {
    const latch = createMediaLatch(described, { isPeer, mayReach: isReachable })
    expect(latch.target).toEqual(described)
    expect(latch.accept({ host: '203.0.113.9', port: 4_000 })).toBe(false)
    expect(latch.accept({ host: '192.0.2.7', port: 9_999 })).toBe(true)
    expect(latch.target).toEqual({ host: '192.0.2.7', port: 9_999 })
    expect([latch.accept({ host: '192.0.2.8', port: 1 }), latch.accept({ host: '192.0.2.7', port: 9_998 })]).toEqual([
      false,
      false,
    ])
    expect([latch.accept(described), latch.accept({ host: '192.0.2.7', port: 9_999 })]).toEqual([true, false])
    expect(latch.target).toEqual(described)
  })

  it('changes only with a description, and not back to the one before', () => {
    const latch = createMediaLatch(described, { isPeer, mayReach: isReachable })
    latch.accept(described)
    latch.reset({ ...described })
    expect(latch.accept({ host: '192.0.2.2', port: 1 })).toBe(false)
    latch.reset({ host: '192.0.2.2', port: 5_000 })
    expect(latch.accept(described)).toBe(false)
    expect(latch.target).toEqual({ host: '192.0.2.2', port: 5_000 })
    expect(latch.accept({ host: '192.0.2.2', port: 5_000 })).toBe(true)
  })

  it.each([
    ['an address inside the network', { host: '10.0.0.5', port: 8_125 }],
    ['this machine', { host: '0.0.0.0', port: 8_125 }],
    ['a name, which would be looked up for each packet', { host: 'metadata.internal', port: 4_000 }],
    ['a port of a service', { host: '203.0.113.50', port: 53 }],
  ])('is never sent to %s because a description says so', (_where, host) => {
    const latch = createMediaLatch(host, { isPeer, mayReach: isReachable })
    expect([latch.target, latch.accept(host)]).toEqual([null, false])
    expect(latch.accept({ host: '192.0.2.7', port: 9_999 })).toBe(true)
    latch.reset({ ...host })
    expect(latch.target).toEqual({ host: '192.0.2.7', port: 9_999 })
    latch.reset({ host: '203.0.113.50', port: 4_000 })
    expect(latch.target).toEqual({ host: '203.0.113.50', port: 4_000 })
    latch.reset(host)
    expect(latch.target).toBeNull()
  })
})
