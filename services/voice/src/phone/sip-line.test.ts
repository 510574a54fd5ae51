import type { LegEnd, SipLeg } from '@ratchet/sip/agent/sip-leg'
import { answerAll, createVirtualNetwork, recordLeg } from '@ratchet/sip/agent/virtual-network.fixture'
import { createSipLine } from './sip-line.ts'

const caller = '10.0.0.1'
const callee = '10.0.0.2'

async function connected() {
  const network = createVirtualNetwork()
  const far = recordLeg()
  const ends: LegEnd[] = []
  let silences = 0
  const line = createSipLine(
    { onEnded: (end) => void ends.push(end), onNoMedia: () => silences++, onChanged: () => undefined },
    { nowMs: () => network.clock.nowMs(), targetOf: (to) => (to === '+491' ? null : `sip:${to}@${callee}`) },
  )
  let farLeg: SipLeg | null = null
  const onLeg = (answered: SipLeg) => {
    farLeg = answered
  }
  network.addAgent(callee, { onInvite: answerAll(far, onLeg) })
  const agent = network.addAgent(caller)
  const leg = await agent.dial({ trunkId: callee, to: `sip:a@${callee}`, from: '1', events: line.legEvents })
  await network.pass(100)
  line.attach(await leg.answered)
  const talk = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) {
      await network.pass(20)
      line.passFrame()
    }
  }
  return { network, line, far, ends, talk, silences: () => silences, farLeg: () => farLeg as SipLeg | null }
}

it('is left to another worker without a BYE, and ended with one', async () => {
  const left = await connected()
  left.line.close({ kind: 'moved' })
  await left.network.pass(1_000)
  expect([left.ends, left.far.ends]).toEqual([['left'], []])
  const ended = await connected()
  ended.line.close({ kind: 'ended', status: 'completed', reason: 'api_stop', by: 'api' })
  await ended.network.pass(1_000)
  expect([ended.ends, ended.far.ends]).toEqual([['local_bye'], ['remote_bye']])
})

it('calls no number to which it may not be transferred, and goes on when the other side refuses', async () => {
  const { line, network, ends } = await connected()
  expect(await line.transfer?.('+491')).toBe(false)
  const asked = line.transfer?.('+492')
  await network.pass(1_000)
  expect(await asked).toBe(false)
  expect(ends).toEqual([])
})

it('says that nobody is there when no packet comes for 15 seconds, unless the other side holds the call', async () => {
  const { talk, silences, farLeg } = await connected()
  await talk(20_000)
  expect(silences()).toBe(0)
  await Promise.all([farLeg()?.hold(true), talk(20_000)])
  expect(silences()).toBe(0)
  await Promise.all([farLeg()?.hold(false), talk(1_000)])
  farLeg()?.leave()
  await talk(14_000)
  expect(silences()).toBe(0)
  await talk(2_000)
  expect(silences()).toBe(1)
})
