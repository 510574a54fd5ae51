import { readTones } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { seededRandom } from '@ratchet/testing/seeded-random'
import type { SipLeg } from './sip-leg.ts'
import { answerAll, createVirtualNetwork, joinFrames, recordLeg, trunkOf } from './virtual-network.fixture.ts'

const caller = '10.0.0.1'
const callee = '10.0.0.2'
const target = `sip:+4930123@${callee}`

/** Two agents with a call between them. */
async function connected() {
  const network = createVirtualNetwork()
  const near = recordLeg()
  const far = recordLeg()
  let farLeg: SipLeg | null = null
  const callerAgent = network.addAgent(caller)
  const calleeAgent = network.addAgent(callee, { onInvite: answerAll(far, (leg) => (farLeg = leg)) })
  const call = callerAgent.dial({ trunkId: callee, to: target, from: '+49301', events: near })
  await network.pass(100)
  const leg = await call.answered
  if (farLeg === null) throw new Error('the callee has no leg')
  return { network, near, far, leg, farLeg: farLeg as SipLeg, callerAgent, calleeAgent, call }
}

describe('a call between two agents', () => {
  it('is set up, carries speech both ways, and ends by BYE', async () => {
    const { network, near, far, leg, farLeg, callerAgent, calleeAgent } = await connected()
    leg.send(createToneSpeaker(8_000).say('good morning from here').pcm)
    farLeg.send(createToneSpeaker(8_000).say('and hello to you').pcm)
    await network.pass(4_000)
    const heard = (frames: readonly Int16Array[]) =>
      readTones(joinFrames(frames), 8_000)
        .map(({ text }) => text)
        .join(' ')
    expect(heard(far.audio)).toBe('good morning from here')
    expect(heard(near.audio)).toBe('and hello to you')
    expect(leg.playedMs).toBeGreaterThan(1_000)
    await network.pass(12_000)
    expect(leg.stats).toMatchObject({ lost: 0, late: 0, ignored: 0, lostByPeer: 0 })
    expect(Math.abs((leg.stats.roundTripMs ?? 0) - 10)).toBeLessThan(2)
    leg.hangup('done')
    await network.pass(100)
    expect([near.ends, far.ends]).toEqual([['local_bye'], ['remote_bye']])
    expect([callerAgent.counts.legs, calleeAgent.counts.legs]).toEqual([0, 0])
    expect(network.linesFrom(caller)).toEqual([
      `INVITE ${target} SIP/2.0`,
      expect.stringMatching(/^ACK /),
      expect.stringMatching(/^BYE /),
    ])
  })

  it('stops at once when what is queued is dropped, and says what went out', async () => {
    const { network, leg, far } = await connected()
    leg.send(new Int16Array(16_000).fill(5_000))
    await network.pass(500)
    const playedMs = leg.clear()
    expect(playedMs).toBeGreaterThan(440)
    expect(playedMs).toBeLessThanOrEqual(520)
    await network.pass(1_000)
    const loud = far.audio.filter((frame) => Math.abs(frame[80] ?? 0) > 1_000).length
    expect(loud * 20).toBe(playedMs)
    expect([leg.queuedMs, leg.playedMs]).toEqual([0, 0])
  })

  it('carries keys as events', async () => {
    const { network, leg, farLeg, near, far } = await connected()
    leg.sendDtmf('12#')
    farLeg.sendDtmf('*9')
    await network.pass(2_000)
    expect([far.keys, near.keys]).toEqual([
      ['1', '2', '#'],
      ['*', '9'],
    ])
    expect(() => leg.sendDtmf('x')).toThrow(RangeError)
  })

  it('is held and goes on, by offers of either side', async () => {
    const { network, leg, farLeg, near, far } = await connected()
    const held = leg.hold(true)
    await network.pass(100)
    await held
    expect([far.holds, leg.snapshot().own.direction, farLeg.snapshot().own.direction]).toEqual([
      [true],
      'sendonly',
      'recvonly',
    ])
    const before = leg.stats.received
    await network.pass(1_000)
    expect(leg.stats.received).toBeLessThanOrEqual(before + 2)
    const resumed = leg.hold(false)
    await network.pass(100)
    await resumed
    expect(far.holds).toEqual([true, false])
    const back = farLeg.hold(true)
    await network.pass(100)
    await back
    expect(near.holds).toEqual([true])
  })

  it('settles offers of both sides at the same time', async () => {
    const { network, leg, farLeg } = await connected()
    const both = Promise.all([leg.hold(true), farLeg.hold(true)])
    await network.pass(10_000)
    await both
    expect(network.sent.filter(({ text }) => text.startsWith('SIP/2.0 491')).length).toBeGreaterThan(0)
    expect([leg.isEnded, farLeg.isEnded]).toEqual([false, false])
    expect([leg.snapshot().plan.direction, farLeg.snapshot().plan.direction]).toEqual(['inactive', 'sendonly'])
  })

  it('ends once when BYE crosses an offer', async () => {
    const { network, leg, farLeg, near, far, callerAgent, calleeAgent } = await connected()
    const held = leg.hold(true).catch((error: unknown) => error)
    farLeg.hangup()
    await network.pass(40_000)
    expect(await held).toMatchObject({ name: 'LegError', status: 481 })
    expect([near.ends, far.ends]).toEqual([['remote_bye'], ['local_bye']])
    expect([callerAgent.counts.legs, calleeAgent.counts.legs]).toEqual([0, 0])
  })

  it('answers again while the ACK is lost, and hangs up when it never comes', async () => {
    const network = createVirtualNetwork()
    const far = recordLeg()
    network.addAgent(callee, { onInvite: answerAll(far) })
    const near = recordLeg()
    let lost = 0
    network.rule = ({ text }) => !text.startsWith('ACK') || ++lost > 2
    const call = network.addAgent(caller).dial({ trunkId: callee, to: target, from: '1', events: near })
    await network.pass(5_000)
    await call.answered
    expect(network.sent.filter(({ text }) => text.startsWith('SIP/2.0 200')).length).toBe(3)
    expect(far.ends).toEqual([])

    const other = createVirtualNetwork()
    const silent = recordLeg()
    other.rule = ({ text }) => !text.startsWith('ACK')
    other.addAgent(callee, { onInvite: answerAll(silent) })
    const events = recordLeg()
    other.addAgent(caller).dial({ trunkId: callee, to: target, from: '1', events })
    await other.pass(40_000)
    expect([silent.ends, events.ends]).toEqual([['lost'], ['remote_bye']])
  })

  it('says BYE only after the ACK', async () => {
    const network = createVirtualNetwork()
    const far = recordLeg()
    network.addAgent(callee, { onInvite: answerAll(far, (leg) => leg.hangup('at once')) })
    const near = recordLeg()
    const call = network.addAgent(caller).dial({ trunkId: callee, to: target, from: '1', events: near })
    await network.pass(1_000)
    await call.answered
    const lines = network.sent.map(({ text }) => text.split(' ')[0])
    expect(lines.indexOf('BYE')).toBeGreaterThan(lines.indexOf('ACK'))
    expect([near.ends, far.ends]).toEqual([['remote_bye'], ['local_bye']])
  })

  it('survives the loss of half of all messages', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const network = createVirtualNetwork()
      const next = seededRandom(seed)
      network.rule = () => next() >= 0.5
      const far = recordLeg()
      const near = recordLeg()
      network.addAgent(callee, { onInvite: answerAll(far) })
      const call = network.addAgent(caller).dial({ trunkId: callee, to: target, from: '1', events: near })
      await network.pass(70_000)
      const leg = await call.answered.catch(() => null)
      leg?.hangup()
      await network.pass(70_000)
      expect([near.ends.length, far.ends.length]).toEqual([leg === null ? 0 : 1, far.audio.length > 0 ? 1 : 0])
    }
  })

  it('goes on in another process, which may also hang it up', async () => {
    const { network, leg, far } = await connected()
    const snapshot = JSON.parse(JSON.stringify(leg.snapshot()))
    const second = network.addAgent('10.0.0.3', { trunks: [trunkOf(callee), trunkOf(caller)] })
    const near = recordLeg()
    const resumed = second.resume(snapshot, near)
    await network.pass(200)
    const next = await resumed
    next.send(createToneSpeaker(8_000).say('sorry here again').pcm)
    await network.pass(4_000)
    const words = readTones(joinFrames(far.audio), 8_000).map(({ text }) => text)
    expect(words).toEqual(['sorry', 'here', 'again'])
    second.abandon(next.snapshot())
    await network.pass(200)
    expect(far.ends).toEqual(['remote_bye'])
  })

  it('ends when the other side no longer knows it', async () => {
    const { network, leg, near, far } = await connected()
    network.rule = ({ from, text }) => from !== callee || !text.startsWith('BYE')
    const held = leg.hold(true)
    network.addPeer(callee, () => {})
    await network.pass(50_000)
    await expect(held).rejects.toMatchObject({ status: 408 })
    expect([near.ends, far.ends]).toEqual([['lost'], []])
  })
})
