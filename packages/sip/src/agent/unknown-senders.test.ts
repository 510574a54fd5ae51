import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { cpuMs } from '@ratchet/testing/cpu-time'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { legalMessages } from '../message/torture-messages.fixture.ts'
import type { SipPeer } from '../ports.ts'
import { createSipAgent } from './create-sip-agent.ts'
import { requestOf, sdpAt } from './scripted-peer.fixture.ts'
import { createTokenBuckets, createTrunks } from './trunks.ts'
import { trunkOf } from './virtual-network.fixture.ts'

function agentOf() {
  let receive: (message: Buffer, from: SipPeer) => void = () => {}
  let now = 0
  const sent: string[] = []
  const invites: string[] = []
  const clock = { nowMs: () => now, schedule: () => () => {} }
  const agent = createSipAgent({
    mayReach: () => true,
    trunks: [{ ...trunkOf('192.0.2.1'), addresses: ['198.51.100.0/24'] }],
    sockets: {
      send: (message) => sent.push(message.toString()),
      addressFor: () => ({ host: '192.0.2.9', port: 5_060 }),
      listen: (onMessage) => (receive = onMessage),
    },
    openMedia: () => Promise.reject(new RangeError('no port')),
    clock,
    pacer: createFramePacer(clock),
    random: (count) => new Uint8Array(count),
    onInvite: (call) => invites.push(call.callId),
  })
  const from = (host: string): SipPeer => ({ transport: 'udp', host, port: 5_060 })
  return {
    agent,
    sent,
    invites,
    receive: (message: string | Buffer, host: string) => receive(Buffer.from(message), from(host)),
    pass: (ms: number) => (now += ms),
  }
}

describe('traffic of scanners', () => {
  it('costs less than a second of a processor for 100,000 datagrams, and has no answer', () => {
    const { agent, sent, receive } = agentOf()
    const next = seededRandom(1)
    const scan = requestOf('OPTIONS', { from: '203.0.113.5', to: '192.0.2.9', branch: 's', cseq: 1 })
    const garbage = Buffer.from(Uint8Array.from({ length: 400 }, () => Math.floor(256 * next())))
    const messages = [
      Buffer.from(scan),
      garbage,
      Buffer.from(scan.replace('OPTIONS sip', 'REGISTER sip')),
      Buffer.alloc(0),
    ]
    const spent = cpuMs(() => {
      for (let i = 0; i < 100_000; i++) receive(messages[i % 4] ?? garbage, `203.0.${(i >> 8) & 255}.${i & 255}`)
    })
    expect(spent).toBeLessThan(1_000)
    expect(sent).toEqual([])
    expect(agent.counts).toMatchObject({ unknown: 100_000, malformed: 0, legs: 0 })
  })

  it('of a trunk costs less than a second as well, and is limited', () => {
    const { agent, sent, receive } = agentOf()
    const spent = cpuMs(() => {
      for (let i = 0; i < 100_000; i++) receive(`garbage ${i}`, '192.0.2.1')
    })
    expect(spent).toBeLessThan(1_000)
    expect(sent).toEqual([])
    expect(agent.counts).toMatchObject({ unknown: 0, malformed: 1_000, limited: 99_000 })
  })

  it('of one owner of trunks leaves room for the calls of others', () => {
    const { agent, invites, receive, pass } = agentOf()
    const own = { ...trunkOf('192.0.2.1'), owner: 'attacker', addresses: ['198.51.100.0/24'] }
    const second = { ...trunkOf('192.0.2.2'), owner: 'attacker' }
    agent.setTrunks([own, second, { ...trunkOf('203.0.113.1'), owner: 'other' }])
    const ask = (method: string, from: string, branch: string) =>
      receive(requestOf(method, { from, to: '192.0.2.9', branch, cseq: 1, body: sdpAt(from) }), from)
    for (let i = 0; i < 8_000; i++) {
      if (i % 400 === 0) pass(1_000)
      ask('OPTIONS', i % 2 === 0 ? `198.51.100.${i % 250}` : '192.0.2.2', `flood-${i}`)
    }
    ask('INVITE', '203.0.113.1', 'honest')
    expect(invites).toHaveLength(1)
  })

  it('is told from a trunk by the source address alone, not by what a message claims', () => {
    const { sent, invites, receive } = agentOf()
    const claims = requestOf('INVITE', {
      from: '192.0.2.1',
      to: '192.0.2.9',
      branch: 'c',
      cseq: 1,
      body: sdpAt('192.0.2.1'),
    })
    receive(claims, '203.0.113.5')
    expect([sent, invites]).toEqual([[], []])
    receive(claims, '198.51.100.77')
    expect(invites).toEqual(['from-the-peer'])
  })

  it('has no REGISTER, and no answer to what is no SIP', () => {
    const { agent, sent, receive } = agentOf()
    receive(legalMessages['bytes behind the body of a datagram'] ?? '', '192.0.2.1')
    expect(sent.map((text) => text.split('\r\n')[0])).toEqual(['SIP/2.0 405 Method Not Allowed'])
    receive('\r\n\r\n', '192.0.2.1')
    receive('x'.repeat(9_000), '192.0.2.1')
    expect([sent.length, agent.counts.malformed]).toEqual([1, 1])
  })
})

describe('trunks', () => {
  it('are found by address and network, and refuse what is neither', () => {
    const a = { ...trunkOf('192.0.2.1'), addresses: ['198.51.100.0/24', '2001:db8::/32'] }
    const trunks = createTrunks([a, trunkOf('203.0.113.1')])
    expect(trunks.of('198.51.100.200')?.id).toBe('192.0.2.1')
    expect(trunks.of('2001:db8::5')?.id).toBe('192.0.2.1')
    expect(trunks.of('203.0.113.1')?.id).toBe('203.0.113.1')
    expect([trunks.of('203.0.113.2'), trunks.of('example.com'), trunks.of('')]).toEqual([null, null, null])
    for (const wrong of ['example.com', '192.0.2.1/33', '192.0.2.1/x', '']) {
      expect(() => createTrunks([{ ...a, addresses: [wrong] }])).toThrow(RangeError)
    }
  })

  it('are found as fast when there are thousands of them', () => {
    const many = Array.from({ length: 2_000 }, (_, i) => ({
      ...trunkOf(`10.${i >> 8}.${i & 255}.1`),
      addresses: Array.from({ length: 16 }, (_, j) => `10.${i >> 8}.${i & 255}.${16 * j}/28`),
    }))
    const trunks = createTrunks(many)
    const last = many.at(-1)?.id ?? ''
    const spent = cpuMs(() => {
      for (let i = 0; i < 10_000; i++) expect(trunks.of(`${last.slice(0, -1)}${i % 200}`)?.id).toBe(last)
    })
    expect(spent).toBeLessThan(2_000)
  })

  it('may send a burst, and then as much as they may each second', () => {
    const buckets = createTokenBuckets({ perSecond: 10, burst: 5 })
    const take = (count: number, nowMs: number) =>
      Array.from({ length: count }, () => buckets.take('a', nowMs)).filter(Boolean).length
    expect([take(9, 0), buckets.take('b', 0), take(9, 200), take(9, 60_000)]).toEqual([5, true, 2, 5])
  })
})
