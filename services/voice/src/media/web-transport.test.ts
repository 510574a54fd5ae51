import type { MediaReply } from '@ratchet/contracts/voice/media-messages'
import { createWebTransport } from './web-transport.ts'

function line() {
  const messages: MediaReply[] = []
  const frames: Int16Array[] = []
  const events: unknown[][] = []
  const transport = createWebTransport(
    {
      send: (message) => void messages.push(message),
      sendAudio: (frame) => void frames.push(frame),
      close: () => undefined,
      terminate: () => undefined,
    },
    () => undefined,
  )
  transport.connect({
    onAudio: (pcm) => void events.push(['audio', [...pcm]]),
    onKey: (key) => void events.push(['key', key]),
    onText: (text) => void events.push(['text', text]),
    onPlayed: (...played) => void events.push(['played', ...played]),
    onCleared: (...cleared) => void events.push(['cleared', ...cleared]),
    onGone: () => undefined,
  })
  return { transport, messages, frames, events }
}

const tone = (ms: number) => new Int16Array(ms * 16).fill(1_000)

it('sends five frames ahead, and then one for each tick', () => {
  const { transport, frames, messages } = line()
  transport.play(1, tone(400))
  transport.passFrame()
  expect(frames).toHaveLength(5)
  transport.passFrame()
  transport.passFrame()
  expect(frames).toHaveLength(7)
  expect(messages).toEqual([{ type: 'audio', id: 1 }])
})

it('counts what was played of the utterance, without what filled its frames up, and never more than was sent', () => {
  const { transport, events } = line()
  transport.play(1, tone(30))
  transport.passFrame()
  transport.play(1, tone(20))
  transport.passFrame()
  for (const ms of [20, 40, 60, 9_000]) transport.take({ type: 'played', id: 1, ms })
  transport.take({ type: 'played', id: 2, ms: 100 })
  expect(events).toEqual([...[20, 30, 50, 50].map((ms) => ['played', 1, ms]), ...[['played', 2, 0]]])
})

it('plays nothing more of an utterance that was cleared, and the next one at full volume', () => {
  const { transport, frames, messages, events } = line()
  transport.play(1, tone(200))
  transport.setVolume(-12)
  transport.passFrame()
  expect(frames[0]?.[0]).toBe(251)
  transport.clear(1)
  transport.play(1, tone(200))
  transport.passFrame()
  expect(frames).toHaveLength(5)
  transport.take({ type: 'cleared', id: 1, ms: 60 })
  transport.play(2, tone(20))
  transport.passFrame()
  expect(frames.at(-1)?.[0]).toBe(1_000)
  expect(messages).toEqual([
    { type: 'audio', id: 1 },
    { type: 'clear', id: 1 },
    { type: 'audio', id: 2 },
  ])
  expect(events).toEqual([['cleared', 1, 60]])
})

it('passes on audio, keys and texts of the caller', () => {
  const { transport, events } = line()
  transport.takeAudio(Buffer.from([1, 0, 255, 255]))
  transport.take({ type: 'dtmf', key: '#' })
  transport.take({ type: 'text', text: 'Hello.' })
  expect(events).toEqual([
    ['audio', [1, -1]],
    ['key', '#'],
    ['text', 'Hello.'],
  ])
})
