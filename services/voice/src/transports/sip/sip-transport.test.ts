import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { answerAll, createVirtualNetwork, recordLeg } from '@ratchet/sip/agent/virtual-network.fixture'
import { createSipTransport } from './create-sip-transport.ts'

const caller = '10.0.0.1'
const callee = '10.0.0.2'

/** A call of the transport to another agent. */
async function connected() {
  const network = createVirtualNetwork()
  const far = recordLeg()
  const played = new Map<number, number>()
  const cleared: [number, number][] = []
  let gone = 0
  const transport = createSipTransport({
    onAudio: () => {},
    onKey: () => {},
    onPlayed: (utterance, ms) => played.set(utterance, ms),
    onCleared: (utterance, ms) => cleared.push([utterance, ms]),
    onGone: () => gone++,
  })
  network.addAgent(callee, { onInvite: answerAll(far) })
  const to = `sip:a@${callee}`
  const call = network.addAgent(caller).dial({ trunkId: callee, to, from: '1', events: transport.legEvents })
  await network.pass(100)
  transport.attach(await call.answered)
  const words = () => {
    const reader = createToneReader(8_000)
    return far.audio.flatMap((pcm) => reader.push(pcm).map(({ text }) => text))
  }
  return { network, transport, far, played, cleared, words, gone: () => gone }
}

it('reports of each utterance what went out', async () => {
  const { network, transport, played, words } = await connected()
  const speaker = createToneSpeaker(8_000)
  const first = speaker.say('the first one').pcm
  const second = speaker.say('and another').pcm
  transport.play(1, first.subarray(0, 1_000))
  transport.play(1, first.subarray(1_000))
  transport.play(2, second)
  await network.pass(5_000)
  expect(words().join(' ')).toBe('the first one and another')
  expect([...played]).toEqual([
    [1, first.length / 8],
    [2, second.length / 8],
  ])
})

it('drops an utterance, and only what was not heard of it', async () => {
  const { network, transport, cleared, words, played } = await connected()
  const spoken = createToneSpeaker(8_000).say('these words are cut somewhere in the middle of the line')
  transport.play(1, spoken.pcm)
  await network.pass(1_500)
  transport.clear(1)
  transport.play(1, spoken.pcm)
  await network.pass(3_000)
  const [[utterance, ms] = [0, 0]] = cleared
  expect([utterance, ms, cleared.length]).toEqual([1, played.get(1), 1])
  const heard = spoken.words.filter(({ endMs }) => endMs <= ms).map(({ text }) => text)
  expect(heard.length).toBeGreaterThan(1)
  expect(words()).toEqual(heard)
})

it('is quieter when it is told, until the next utterance', async () => {
  const { network, transport, far } = await connected()
  transport.play(1, new Int16Array(4_000).fill(8_000))
  await network.pass(200)
  transport.setVolume(-20)
  await network.pass(1_000)
  transport.play(2, new Int16Array(800).fill(8_000))
  await network.pass(1_000)
  const levels = far.audio.map((pcm) => Math.round((pcm[80] ?? 0) / 1_000)).filter((level) => level > 0)
  expect([...new Set(levels)]).toEqual([8, 1])
  expect(levels.at(-1)).toBe(8)
})

it('says once that the caller is gone', async () => {
  const { network, transport, gone, far } = await connected()
  transport.hangUp()
  await network.pass(100)
  expect([gone(), far.ends]).toEqual([1, ['remote_bye']])
})
