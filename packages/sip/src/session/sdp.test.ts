import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { SipParseError } from '../message/sip-parse-error.ts'
import { answerDirection, negotiate } from './negotiate.ts'
import { movedTo, ownAnswer, ownOffer, ownReoffer } from './own-description.ts'
import { parseSdp, writeSdp } from './sdp.ts'

const random = (count: number) => new Uint8Array(count).fill(7)
const offer = [
  'v=0',
  'o=jdoe 2890844526 2890842807 IN IP4 10.47.16.5',
  's=SDP Seminar',
  'i=A Seminar on the session description protocol',
  'c=IN IP4 224.2.17.12/127',
  't=2873397496 2873404696',
  'a=recvonly',
  'm=video 51372 RTP/AVP 99',
  'a=rtpmap:99 h263-1998/90000',
  'm=audio 49170 RTP/AVP 18 97 8 0',
  'c=IN IP4 192.0.2.7',
  'a=rtpmap:97 telephone-event/8000',
  'a=fmtp:97 0-15',
  'a=sendonly',
  'a=rtcp:53020',
  '',
].join('\r\n')

describe('session descriptions', () => {
  it('are read: addresses, codecs, events, direction and ports of the first audio', () => {
    expect(negotiate(offer)?.plan).toEqual({
      host: '192.0.2.7',
      port: 49_170,
      rtcpPort: 53_020,
      codec: 'PCMA',
      payloadType: 8,
      eventPayloadType: 97,
      direction: 'sendonly',
    })
  })

  it('are answered with one codec, and with every other stream refused', () => {
    const agreed = negotiate(offer)
    if (agreed === null) throw new Error('no codec')
    const own = ownAnswer({ ...ownOffer({ host: '10.0.0.1', port: 20_000 }, random), version: 0 }, agreed, false)
    const text = writeSdp(own)
    expect(text.split('\r\n').filter((line) => /^[cma]=/.test(line))).toEqual([
      'c=IN IP4 10.0.0.1',
      'm=video 0 RTP/AVP 99',
      'm=audio 20000 RTP/AVP 8 97',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:97 telephone-event/8000',
      'a=fmtp:97 0-15',
      'a=ptime:20',
      'a=recvonly',
    ])
    expect(own.version).toBe(1)
    expect(ownAnswer(own, agreed, false).version).toBe(1)
    expect(ownReoffer(own, true)).toMatchObject({ version: 2, direction: 'sendonly' })
    expect(movedTo(own, { host: '10.0.0.3', port: 4 })).toMatchObject({ version: 2, host: '10.0.0.3', port: 4 })
  })

  it('have no codec of ours in common', () => {
    expect(negotiate(offer.replace('18 97 8 0', '18 97'))).toBeNull()
    expect(negotiate(offer.replace('m=audio 49170', 'm=audio 0'))).toBeNull()
    expect(negotiate(offer.replace('m=audio 49170 RTP/AVP', 'm=audio 49170 RTP/SAVP'))).toBeNull()
  })

  it('know old and new ways of holding', () => {
    const plain = offer.replace('a=sendonly', 'a=sendrecv')
    expect(negotiate(plain.replace('192.0.2.7', '0.0.0.0'))?.plan.direction).toBe('inactive')
    expect([
      answerDirection('sendrecv', false),
      answerDirection('sendrecv', true),
      answerDirection('sendonly', false),
      answerDirection('recvonly', true),
      answerDirection('inactive', false),
      answerDirection('sendonly', true),
    ]).toEqual(['sendrecv', 'sendonly', 'recvonly', 'sendonly', 'inactive', 'inactive'])
  })

  it('of ours are read back', () => {
    const own = ownOffer({ host: '2001:db8::1', port: 20_002 }, random)
    expect(negotiate(writeSdp(own))?.plan).toMatchObject({
      host: '2001:db8::1',
      port: 20_002,
      codec: 'PCMU',
      eventPayloadType: 101,
      direction: 'sendrecv',
    })
  })

  it('throw nothing but the error of the parser, whatever they are', () => {
    const mutated = fc.array(fc.tuple(fc.nat(), fc.nat(126)), { maxLength: 10 }).map((changes) => {
      const bytes = Buffer.from(offer)
      for (const [at, value] of changes) bytes[at % bytes.length] = value
      return bytes.toString()
    })
    const lines = fc
      .array(
        fc.tuple(fc.constantFrom('m=', 'a=rtpmap:', 'c=', 'a=', 'o=', 'a=rtcp:', '='), fc.string({ maxLength: 30 })),
        { maxLength: 20 },
      )
      .map((parts) => ['v=0', ...parts.map(([type, value]) => type + value)].join('\n'))
    fc.assert(
      fc.property(fc.oneof(mutated, lines, fc.string()), (text) => {
        try {
          negotiate(text)
        } catch (error) {
          expect(error).toBeInstanceOf(SipParseError)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  it('are read in time in proportion to their length', () => {
    const worst = ['a=rtpmap:0 ', 'a=sendrecv\n', 'c=IN IP4 1\n', 'm=audio 1 RTP/AVP 0 ', ' ', '='].map(
      (part) => `v=0\n${part.repeat(Math.floor(8_000 / part.length))}`,
    )
    const spent = cpuMs(() => {
      for (const text of worst) {
        for (let i = 0; i < 20; i++) {
          try {
            parseSdp(text)
          } catch (error) {
            if (!(error instanceof SipParseError)) throw error
          }
        }
      }
    })
    expect(spent / (20 * worst.length)).toBeLessThan(10)
  })
})
