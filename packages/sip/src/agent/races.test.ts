import type { IncomingCall } from './incoming-call.ts'
import { answerTo, contactAt, lineOf, requestOf, sdpAt } from './scripted-peer.fixture.ts'
import type { LegEvents, SipLeg } from './sip-leg.ts'
import { answerAll, createVirtualNetwork, recordLeg, trunkOf, type VirtualNetwork } from './virtual-network.fixture.ts'

const ours = '10.0.0.1'
const theirs = '10.0.0.2'
const withAudio = { headers: [contactAt(theirs), 'Content-Type: application/sdp'], body: sdpAt(theirs) }

/** Requests of ours that a peer got, which it answers as a test says. */
function peerThat(
  network: VirtualNetwork,
  react: (method: string, text: string, send: (answer: string) => void) => void,
) {
  const peer = network.addPeer(theirs, (text) =>
    react(text.split(' ')[0] ?? '', text, (answer) => peer.send(answer, ours)),
  )
  return peer
}

function dialPeer(network: VirtualNetwork, events: LegEvents = recordLeg()) {
  return network.addAgent(ours).dial({ trunkId: theirs, to: `sip:a@${theirs}`, from: '1', events })
}

describe('calls of ours', () => {
  it('hangs up an answer that crosses its CANCEL', async () => {
    const network = createVirtualNetwork()
    let invite = ''
    peerThat(network, (method, text, send) => {
      if (method === 'INVITE') {
        invite = text
        send(answerTo(text, 180))
      } else if (method === 'CANCEL') {
        send(answerTo(text, 200))
        send(answerTo(invite, 200, withAudio))
      } else if (method === 'BYE') send(answerTo(text, 200))
    })
    const call = dialPeer(network)
    await network.pass(100)
    call.cancel()
    await network.pass(1_000)
    await expect(call.answered).rejects.toMatchObject({ status: 487 })
    expect(network.linesFrom(ours).map((line) => line.split(' ')[0])).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE'])
    const [, cancel, , bye] = network.sent.filter(({ from }) => from === ours)
    expect(lineOf(cancel?.text ?? '', 'Via')).toBe(lineOf(invite, 'Via'))
    expect(lineOf(bye?.text ?? '', 'To')).toContain('tag=peer')
  })

  it('sends CANCEL only once the other side works on the call', async () => {
    const network = createVirtualNetwork()
    let invite = ''
    const peer = peerThat(network, (method, text, send) => {
      if (method === 'INVITE') invite = text
      else if (method === 'CANCEL') {
        send(answerTo(text, 200))
        send(answerTo(invite, 487))
      }
    })
    const call = dialPeer(network)
    await network.pass(100)
    call.cancel()
    await network.pass(300)
    expect(network.linesFrom(ours).some((line) => line.startsWith('CANCEL'))).toBe(false)
    peer.send(answerTo(invite, 100), ours)
    await network.pass(100)
    await expect(call.answered).rejects.toMatchObject({ status: 487 })
    expect(network.linesFrom(ours).map((line) => line.split(' ')[0])).toEqual(['INVITE', 'CANCEL', 'ACK'])
  })

  it('takes the first of forked answers, and hangs up the others', async () => {
    const network = createVirtualNetwork()
    peerThat(network, (method, text, send) => {
      if (method === 'INVITE')
        for (const tag of ['one', 'two', 'one', 'three']) send(answerTo(text, 200, { ...withAudio, tag }))
      else if (method === 'BYE') send(answerTo(text, 200))
    })
    const call = dialPeer(network)
    await network.pass(1_000)
    const leg = await call.answered
    expect(leg.snapshot().dialog.remoteTag).toBe('one')
    const tags = (method: string) =>
      network.sent
        .filter(({ from, text }) => from === ours && text.startsWith(method))
        .map(({ text }) => lineOf(text, 'To').split('tag=')[1])
    expect(tags('ACK')).toEqual(['one', 'two', 'one', 'three'])
    expect(tags('BYE')).toEqual(['two', 'three'])
  })

  it('answers a challenge once, with the next number and the same call', async () => {
    const network = createVirtualNetwork()
    const challenge = 'WWW-Authenticate: Digest realm="trunk", nonce="abc", qop="auth", algorithm=SHA-256'
    peerThat(network, (method, text, send) => {
      if (method !== 'INVITE') return
      const isKnown = lineOf(text, 'Authorization').includes('username="user"')
      send(isKnown ? answerTo(text, 200, withAudio) : answerTo(text, 401, { headers: [challenge] }))
    })
    const trunk = trunkOf(theirs, { username: 'user', password: 'secret' })
    const agent = network.addAgent(ours, { trunks: [trunk] })
    const call = agent.dial({ trunkId: theirs, to: `sip:a@${theirs}`, from: '1', events: recordLeg() })
    await network.pass(1_000)
    await call.answered
    const invites = network.sent.filter(({ text }) => text.startsWith('INVITE')).map(({ text }) => text)
    expect(invites.map((text) => lineOf(text, 'CSeq'))).toEqual(['1 INVITE', '2 INVITE'])
    expect(new Set(invites.map((text) => lineOf(text, 'Call-ID'))).size).toBe(1)

    const other = createVirtualNetwork()
    peerThat(other, (method, text, send) => method === 'INVITE' && send(answerTo(text, 401, { headers: [challenge] })))
    const refused = other
      .addAgent(ours, { trunks: [trunk] })
      .dial({ trunkId: theirs, to: `sip:a@${theirs}`, from: '1', events: recordLeg() })
    await other.pass(1_000)
    await expect(refused.answered).rejects.toMatchObject({ status: 401 })
    expect(other.linesFrom(ours).filter((line) => line.startsWith('INVITE'))).toHaveLength(2)
  })

  it.each([
    ['busy', 486, 486],
    ['a shorter timer than the peer takes', 422, 422],
  ])('is refused: %s', async (_, status, expected) => {
    const network = createVirtualNetwork()
    peerThat(network, (method, text, send) => method === 'INVITE' && send(answerTo(text, status)))
    const call = dialPeer(network)
    await network.pass(1_000)
    await expect(call.answered).rejects.toMatchObject({ status: expected })
    expect(network.linesFrom(ours).at(-1)).toMatch(/^ACK/)
  })

  it('repeats an INVITE without an answer for 32 seconds, after twice the time each', async () => {
    const network = createVirtualNetwork()
    const call = dialPeer(network)
    await network.pass(33_000)
    await expect(call.answered).rejects.toMatchObject({ status: 408 })
    expect(network.sent.map(({ atMs }) => atMs)).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500])
  })

  it('ends an attempt that rings for too long', async () => {
    const network = createVirtualNetwork()
    let invite = ''
    peerThat(network, (method, text, send) => {
      if (method === 'INVITE') {
        invite = text
        send(answerTo(text, 180))
      } else if (method === 'CANCEL') {
        send(answerTo(text, 200))
        send(answerTo(invite, 487))
      }
    })
    const call = dialPeer(network)
    await network.pass(61_000)
    await expect(call.answered).rejects.toMatchObject({ status: 487 })
  })

  it('hangs up an answer that has no audio of ours', async () => {
    const network = createVirtualNetwork()
    peerThat(network, (method, text, send) => {
      if (method === 'INVITE') send(answerTo(text, 200, { ...withAudio, body: sdpAt(theirs, '18') }))
      else if (method === 'BYE') send(answerTo(text, 200))
    })
    const call = dialPeer(network)
    await network.pass(1_000)
    await expect(call.answered).rejects.toMatchObject({ status: 488 })
    expect(network.linesFrom(ours).map((line) => line.split(' ')[0])).toEqual(['INVITE', 'ACK', 'BYE'])
  })

  it('sends its caller elsewhere, and says how that went', async () => {
    const network = createVirtualNetwork()
    const peer = peerThat(network, (method, text, send) => {
      if (method === 'INVITE') send(answerTo(text, 200, withAudio))
      if (method !== 'REFER') return
      send(answerTo(text, 202))
      const tag = lineOf(text, 'From').split('tag=')[1] ?? ''
      const notify = (cseq: number, line: string) =>
        requestOf('NOTIFY', {
          from: theirs,
          to: ours,
          branch: `n${cseq}`,
          cseq,
          toTag: tag,
          headers: ['Event: refer'],
          body: line,
        })
          .replace('tag=p1', 'tag=peer')
          .replace('from-the-peer', lineOf(text, 'Call-ID'))
      peer.send(notify(1, 'SIP/2.0 100 Trying\r\n'), ours)
      peer.send(notify(2, 'SIP/2.0 486 Busy Here\r\n'), ours)
    })
    const call = dialPeer(network)
    await network.pass(100)
    const leg = await call.answered
    const outcome = leg.refer('sip:+49309@10.0.0.9')
    await network.pass(1_000)
    expect(await outcome).toBe(486)
    expect(leg.isEnded).toBe(false)
    const refer = network.sent.find(({ text }) => text.startsWith('REFER'))?.text ?? ''
    expect(lineOf(refer, 'Refer-To')).toBe('<sip:+49309@10.0.0.9>')
    await expect(leg.refer('tel:1')).rejects.toMatchObject({ name: 'SipParseError' })
  })

  it.each([
    [
      'refreshes a session at half of its time, and ends one that is not known any more',
      'uac',
      45_000,
      'INVITE',
      'lost',
    ],
    ['ends a session that the other side does not refresh, before its time is over', 'uas', 60_000, 'BYE', 'expired'],
  ])('%s', async (_, refresher, atMs, method, end) => {
    const network = createVirtualNetwork()
    let invites = 0
    const timer = [...withAudio.headers, `Session-Expires: 90;refresher=${refresher}`]
    peerThat(network, (next, text, send) => {
      if (next !== 'INVITE') return
      invites++
      if (invites < 3) send(answerTo(text, 200, { ...withAudio, headers: timer }))
      else send(answerTo(text, 481))
    })
    const record = recordLeg()
    dialPeer(network, record)
    await network.pass(100_000)
    const acts = network.sent.filter(
      ({ from, text, atMs: at }) => from === ours && at > 1_000 && text.startsWith(method),
    )
    expect(Math.abs((acts[0]?.atMs ?? 0) - atMs)).toBeLessThan(100)
    expect(record.ends).toEqual([end])
  })
})

describe('calls of a trunk', () => {
  const invite = (
    fields: { readonly branch?: string; readonly headers?: readonly string[]; readonly body?: string } = {},
  ) => requestOf('INVITE', { from: theirs, to: ours, branch: 'i1', cseq: 1, body: sdpAt(theirs), ...fields })

  it('is cancelled before it is answered', async () => {
    const network = createVirtualNetwork()
    const cancelled: string[] = []
    let call: IncomingCall | null = null
    network.addAgent(ours, {
      onInvite(next) {
        call = next
        next.ring()
        next.onCancelled(() => cancelled.push(next.callId))
      },
    })
    const peer = network.addPeer(theirs, () => {})
    peer.send(invite(), ours)
    await network.pass(50)
    peer.send(requestOf('CANCEL', { from: theirs, to: ours, branch: 'i1', cseq: 1 }), ours)
    await network.pass(50)
    expect(cancelled).toEqual(['from-the-peer'])
    expect(network.linesFrom(ours)).toEqual([
      'SIP/2.0 100 Trying',
      'SIP/2.0 180 Ringing',
      'SIP/2.0 200 OK',
      'SIP/2.0 487 Request Terminated',
    ])
    await expect((call as IncomingCall | null)?.answer(recordLeg())).rejects.toMatchObject({ status: 487 })
  })

  it('stays up when its CANCEL comes after our answer', async () => {
    const network = createVirtualNetwork()
    const legs: SipLeg[] = []
    const record = recordLeg()
    network.addAgent(ours, { onInvite: answerAll(record, (leg) => legs.push(leg)) })
    const peer = network.addPeer(theirs, () => {})
    peer.send(invite(), ours)
    await network.pass(50)
    peer.send(requestOf('CANCEL', { from: theirs, to: ours, branch: 'i1', cseq: 1 }), ours)
    const tag = legs[0]?.snapshot().dialog.localTag ?? ''
    peer.send(requestOf('ACK', { from: theirs, to: ours, branch: 'a1', cseq: 1, toTag: tag }), ours)
    peer.send(requestOf('BYE', { from: theirs, to: ours, branch: 'b1', cseq: 2, toTag: tag }), ours)
    await network.pass(50)
    expect(record.ends).toEqual(['remote_bye'])
    const statuses = network.linesFrom(ours).map((line) => line.split(' ')[1])
    expect(statuses).toEqual(['100', '180', '200', '200', '200'])
  })

  it('is described by its ACK when the INVITE did not', async () => {
    const network = createVirtualNetwork()
    const legs: SipLeg[] = []
    network.addAgent(ours, { onInvite: answerAll(recordLeg(), (leg) => legs.push(leg)) })
    const peer = network.addPeer(theirs, () => {})
    peer.send(invite({ body: '' }), ours)
    await network.pass(50)
    const answer = network.sent.find(({ text }) => text.startsWith('SIP/2.0 200'))?.text ?? ''
    expect(answer).toContain('m=audio 20000 RTP/AVP 0 8 101')
    const tag = lineOf(answer, 'To').split('tag=')[1] ?? ''
    peer.send(
      requestOf('ACK', { from: theirs, to: ours, branch: 'a1', cseq: 1, toTag: tag, body: sdpAt(theirs, '8 101') }),
      ours,
    )
    await network.pass(50)
    expect(legs[0]?.snapshot().plan).toMatchObject({ host: theirs, port: 40_000, codec: 'PCMA', eventPayloadType: 101 })
  })

  it.each([
    ['an extension that we do not have', { headers: ['Require: 100rel'] }, 420],
    ['a timer of seconds', { headers: ['Supported: timer', 'Session-Expires: 30'] }, 422],
    ['a codec that we do not have', { body: sdpAt(theirs, '18') }, 488],
    ['a description that is none', { body: 'hello' }, 488],
  ])('is refused for %s', async (_, fields, status) => {
    const network = createVirtualNetwork()
    network.addAgent(ours, { onInvite: answerAll(recordLeg()) })
    network.addPeer(theirs, () => {}).send(invite(fields), ours)
    await network.pass(10)
    expect(network.linesFrom(ours).map((line) => Number(line.split(' ')[1]))).toEqual([100, status])
  })

  it('is sent elsewhere unless it has an answer', async () => {
    const network = createVirtualNetwork()
    const calls: IncomingCall[] = []
    network.addAgent(ours, { onInvite: (call) => void calls.push(call) })
    network.addPeer(theirs, () => {}).send(invite(), ours)
    await network.pass(10)
    calls[0]?.redirect(`sip:+49301@${theirs}:5060`)
    calls[0]?.redirect(`sip:+49302@${theirs}:5060`)
    await network.pass(10)
    const answers = network.sent.filter(({ text }) => text.startsWith('SIP/2.0 302'))
    expect(answers.map(({ text }) => lineOf(text, 'Contact'))).toEqual([`<sip:+49301@${theirs}:5060>`])
  })

  it('may not send us elsewhere, ask for what is unknown, or speak in a call of others', async () => {
    const network = createVirtualNetwork()
    const legs: SipLeg[] = []
    const record = recordLeg()
    network.addAgent(ours, { onInvite: answerAll(record, (leg) => legs.push(leg)) })
    const peer = network.addPeer(theirs, () => {})
    peer.send(invite(), ours)
    await network.pass(50)
    const toTag = legs[0]?.snapshot().dialog.localTag ?? ''
    const inCall = (method: string, cseq: number, more: object = {}) =>
      peer.send(requestOf(method, { from: theirs, to: ours, branch: `${method}${cseq}`, cseq, toTag, ...more }), ours)
    inCall('ACK', 1)
    inCall('REFER', 2)
    inCall('PUBLISH', 3)
    inCall('OPTIONS', 4)
    inCall('BYE', 3)
    inCall('BYE', 9, { toTag: 'unknown' })
    await network.pass(50)
    const statuses = network.linesFrom(ours).map((line) => line.split(' ')[1])
    expect(statuses.slice(3)).toEqual(['603', '405', '200', '500', '481'])
    const info = requestOf('INFO', {
      from: theirs,
      to: ours,
      branch: 'k',
      cseq: 10,
      toTag,
      body: 'Signal= 7\r\nDuration=160\r\n',
    })
    peer.send(info.replace('application/sdp', 'application/dtmf-relay'), ours)
    await network.pass(50)
    expect([record.keys, record.ends]).toEqual([['7'], []])
  })
})
