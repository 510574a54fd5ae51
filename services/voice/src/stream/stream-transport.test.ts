import { decodeMuLaw } from '@ratchet/audio/g711'
import { createStreamTransport } from './create-stream-transport.ts'
import { dialects, readStreamMessage } from './dialects.ts'
import { createFrameOrder } from './frame-order.ts'

type Sent = { event: string; media?: { payload: string }; mark?: { name: string } }

function stream() {
  let now = 0
  const sent: Sent[] = []
  const played: (readonly [number, number])[] = []
  const cleared: (readonly [number, number])[] = []
  const keys: string[] = []
  const transport = createStreamTransport({ send: (message) => void sent.push(message as Sent) }, () => now)
  transport.connect({
    onAudio: () => undefined,
    onKey: (key) => void keys.push(key),
    onText: () => undefined,
    onPlayed: (utterance, ms) => void played.push([utterance, ms]),
    onCleared: (utterance, ms) => void cleared.push([utterance, ms]),
    onGone: () => undefined,
  })
  return {
    transport,
    sent,
    played,
    cleared,
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 20) {
        now += 20
        transport.passFrame()
      }
    },
    frames: () => sent.filter(({ event }) => event === 'media').length,
    marks: () => sent.flatMap(({ mark }) => mark?.name ?? []),
  }
}

const second = (level = 8_000) => new Int16Array(8_000).fill(level)

it('sends frames of 20 ms, 400 ms ahead at most, with marks at the beginning, every 100 ms and at the end', () => {
  const { transport, pass, frames, marks, sent } = stream()
  transport.play(1, second().subarray(0, 4_800))
  pass(20)
  expect(frames()).toBe(20)
  expect(Buffer.from(sent.find(({ media }) => media)?.media?.payload ?? '', 'base64')).toHaveLength(160)
  pass(400)
  expect(frames()).toBe(30)
  expect(marks()).toEqual(['0:1:0', '0:1:100', '0:1:200', '0:1:300', '0:1:400', '0:1:500', '0:1:600'])
})

it('says what the carrier has played, and after a clear what it certainly had', () => {
  const { transport, pass, played, cleared, sent } = stream()
  transport.play(1, second())
  pass(20)
  transport.takeMark('0:1:0')
  pass(200)
  transport.takeMark('0:1:200')
  pass(60)
  transport.clear(1)
  // Answers of the carrier to marks of what it threw away.
  for (const name of ['0:1:300', '0:1:400', '1:1:500', 'nonsense']) transport.takeMark(name)
  transport.play(1, second())
  pass(100)
  expect(played).toEqual([
    [1, 0],
    [1, 200],
  ])
  expect(cleared).toEqual([[1, 260]])
  expect(sent.at(-1)).toEqual({ event: 'clear' })
})

it('never says more than it has sent, and nothing before the carrier has begun', () => {
  const { transport, pass, cleared, sent } = stream()
  transport.play(1, second().subarray(0, 800))
  pass(40)
  transport.takeMark('0:1:0')
  pass(1_000)
  transport.clear(1)
  transport.play(2, second())
  pass(40)
  transport.clear(2)
  transport.clear(3)
  expect(cleared).toEqual([
    [1, 100],
    [2, 0],
    [3, 0],
  ])
  expect(sent.filter(({ event }) => event === 'clear')).toHaveLength(2)
})

it('lowers its voice until the next utterance, and presses keys as sound', () => {
  const { transport, pass, sent, frames } = stream()
  const loudest = () => {
    const last = sent.findLast(({ media }) => media)?.media?.payload ?? ''
    return Math.max(...decodeMuLaw(Buffer.from(last, 'base64')))
  }
  transport.play(1, second())
  transport.setVolume(-12)
  pass(20)
  expect(loudest()).toBeLessThan(2_300)
  transport.play(2, second())
  pass(1_200)
  expect(loudest()).toBeGreaterThan(7_500)
  pass(1_000)
  const before = frames()
  transport.press('1#')
  pass(600)
  expect(frames() - before).toBe(24)
})

it('reads messages of each carrier, and takes nothing else for one', () => {
  const read = (message: unknown, name: keyof typeof dialects = 'twilio') =>
    readStreamMessage(typeof message === 'string' ? message : JSON.stringify(message), dialects[name])
  expect(read({ event: 'connected', protocol: 'Call' })).toEqual({ kind: 'other' })
  expect(read({ event: 'start', streamSid: 'MZ1', start: { callSid: 'CA1' } })).toEqual({
    kind: 'start',
    streamId: 'MZ1',
    carrierCallId: 'CA1',
  })
  const telnyx = { event: 'start', stream_id: 's', start: { call_control_id: 'v3:a' } }
  expect(read(telnyx, 'telnyx')).toEqual({ kind: 'start', streamId: 's', carrierCallId: 'v3:a' })
  const media = (track: string) => ({ event: 'media', media: { track, chunk: '7', payload: '/w==' } })
  expect(read(media('inbound'))).toEqual({ kind: 'media', number: 7, payload: Buffer.from([255]) })
  expect(read(media('outbound'))).toEqual({ kind: 'other' })
  expect(read({ event: 'dtmf', dtmf: { digit: '#' } })).toEqual({ kind: 'key', key: '#' })
  expect(read({ event: 'mark', mark: { name: 'm' } })).toEqual({ kind: 'mark', name: 'm' })
  expect(read({ event: 'stop' })).toEqual({ kind: 'stop' })
  const wrong = [
    '',
    '[]',
    '{}',
    { event: 7 },
    { event: 'media' },
    { event: 'start' },
    { event: 'dtmf', dtmf: { digit: 'x' } },
  ]
  expect(wrong.map((each) => read(each))).toEqual(wrong.map(() => null))
})

it('puts frames in their order, and waits for a missing one no longer than three frames', () => {
  const taken: number[] = []
  const push = createFrameOrder<number>((frame) => taken.push(frame))
  for (const number of [4, 6, 5, 7, 9, 10, 11]) push(number, number)
  expect(taken).toEqual([4, 5, 6, 7])
  push(12, 12)
  expect(taken).toEqual([4, 5, 6, 7, 9, 10, 11, 12])
  push(8, 8)
  push(13, 13)
  expect(taken.slice(-2)).toEqual([12, 13])
})
