import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { answerChallenge, parseChallenge } from '../session/digest.ts'
import { maxMessageBytes, parseMessage } from './parse-message.ts'
import { headerOf, type SipRequest } from './sip-message.ts'
import { SipParseError } from './sip-parse-error.ts'
import { parseSipUri } from './sip-uri.ts'
import { createStreamSplitter } from './split-stream.ts'
import { illegalMessages, legalMessages } from './torture-messages.fixture.ts'
import { writeRequest, writeResponse } from './write-message.ts'

const legal = Object.entries(legalMessages)

describe('parsing of messages', () => {
  it.each(legal)('reads %s', (_, text) => {
    expect(parseMessage(Buffer.from(text)).callId).not.toBe('')
  })

  it('reads every part of the oddest request', () => {
    const text = legalMessages['white space, folded lines and a quoted name'] ?? ''
    const message = parseMessage(Buffer.from(text)) as SipRequest
    expect(message).toMatchObject({
      kind: 'request',
      method: 'INVITE',
      uri: 'sip:vivekg@chair-dnrc.example.com;unknownparam',
      callId: 'wsinv.ndaksdj@192.0.2.1',
      cseq: { number: 9, method: 'INVITE' },
      from: { name: 'J Rosenberg \\"', uri: 'sip:jdrosen@example.com' },
      to: { name: '', uri: 'sip:vivekg@chair-dnrc.example.com' },
      body: '',
    })
    expect(message.from.params.get('tag')).toBe('98asjd8')
    expect(message.to.params.get('tag')).toBe('1918181833n')
    expect(message.via.map(({ transport, host, params }) => [transport, host, params.get('branch')])).toEqual([
      ['UDP', '192.0.2.2', '390skdjuw'],
      ['TCP', 'spindle.example.com', 'z9hG4bK9ikj8'],
      ['UDP', '192.168.255.111', 'z9hG4bK30239'],
    ])
    expect(headerOf(message, 'subject')).toBe('')
  })

  it.each(Object.entries(illegalMessages))('refuses %s', (_, [fault, text]) => {
    expect(() => parseMessage(Buffer.from(text))).toThrow(expect.objectContaining({ name: 'SipParseError', fault }))
  })

  it('throws nothing but its own error, whatever it is given', () => {
    const mutated = fc
      .tuple(
        fc.constantFrom(...legal.map(([, text]) => text)),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }),
      )
      .map(([text, changes]) => {
        const bytes = Buffer.from(text)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        return bytes
      })
    const spliced = fc
      .array(fc.constantFrom('"', '<', '>', ';', ',', ':', '\r\n', ' ', '\\', '=', 'sip:', 'a', '%', '[', ']'), {
        maxLength: 60,
      })
      .map((parts) => Buffer.from((legal[0]?.[1] ?? '').replace('sip:vivekg', parts.join(''))))
    const anything = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(mutated, spliced, anything), (bytes) => {
        try {
          parseMessage(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(SipParseError)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  it('needs time in proportion to the length, for the worst that fits', () => {
    const head =
      'INVITE sip:u@h SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK1\r\nCall-ID: 1\r\nCSeq: 1 INVITE\r\nFrom: <sip:a@b>;tag=1\r\n'
    const fill = maxMessageBytes - head.length - 20
    const worst = ['"\\', '<', ' ', ';', ',', ';a=', '\t', '":"', '=', 'a ', '\r\n '].map((part) => {
      const filler = part.repeat(Math.floor(fill / part.length))
      return Buffer.from(`${head}To: ${filler}\r\n\r\n`)
    })
    const spent = cpuMs(() => {
      for (const bytes of worst) {
        for (let i = 0; i < 20; i++) {
          try {
            parseMessage(bytes)
          } catch (error) {
            if (!(error instanceof SipParseError)) throw error
          }
        }
      }
    })
    expect(spent / (20 * worst.length)).toBeLessThan(10)
  })
})

describe('writing of messages', () => {
  const request = {
    method: 'OPTIONS',
    uri: 'sip:a@192.0.2.1',
    headers: [
      { name: 'from', value: '<sip:b@192.0.2.2>;tag=7' },
      { name: 'to', value: '<sip:a@192.0.2.1>' },
      { name: 'call-id', value: 'x' },
      { name: 'cseq', value: '3 OPTIONS' },
    ],
    body: 'höher',
  }

  it('is read back, and answered with the same hops, tags and numbers', () => {
    const read = parseMessage(writeRequest(request, 'SIP/2.0/UDP 192.0.2.2:5060;branch=z9hG4bK5')) as SipRequest
    expect(read).toMatchObject({
      method: 'OPTIONS',
      body: 'höher',
      callId: 'x',
      cseq: { number: 3, method: 'OPTIONS' },
    })
    const answer = parseMessage(writeResponse(read, { status: 486 }, 'mine'))
    expect(answer).toMatchObject({ kind: 'response', status: 486, reason: 'Busy Here', callId: 'x', via: read.via })
    expect(answer.to.params.get('tag')).toBe('mine')
  })

  it('never writes a header over two lines', () => {
    const hostile = { ...request, headers: [...request.headers, { name: 'subject', value: 'a\r\nRoute: <sip:evil>' }] }
    expect(() => writeRequest(hostile, 'SIP/2.0/UDP h;branch=z9hG4bK5')).toThrow(RangeError)
  })
})

describe('streams', () => {
  it('are divided into the same messages, however they arrive', () => {
    const messages = legal.slice(0, 2).map(([, text]) => text)
    const bytes = Buffer.from(`\r\n\r\n${messages.join('\r\n')}`)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 30 }), (sizes) => {
        const splitter = createStreamSplitter()
        const found: string[] = []
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1
          found.push(...splitter.push(bytes.subarray(at, at + size)).map((each) => each.toString()))
          at += size
        }
        expect(found).toEqual(messages)
      }),
      { numRuns: 100 },
    )
  })

  it('end at a message without a length or beyond the limit', () => {
    expect(() => createStreamSplitter().push(Buffer.from('INVITE a SIP/2.0\r\nTo: b\r\n\r\n'))).toThrow(SipParseError)
    expect(() => createStreamSplitter().push(Buffer.alloc(maxMessageBytes + 1, 'a'))).toThrow(SipParseError)
    const large = 'INVITE a SIP/2.0\r\nContent-Length: 99999\r\n\r\n'
    expect(() => createStreamSplitter().push(Buffer.from(large))).toThrow(SipParseError)
  })
})

describe('URIs', () => {
  it('are read with user, host, port and parameters', () => {
    expect(parseSipUri('sip:+49%2030:secret@192.0.2.1:5070;transport=tcp;lr?subject=x')).toMatchObject({
      scheme: 'sip',
      user: '+49 30',
      host: '192.0.2.1',
      port: 5070,
    })
    expect(parseSipUri('sips:[2001:db8::1]:5061')).toMatchObject({
      scheme: 'sips',
      user: '',
      host: '2001:db8::1',
      port: 5061,
    })
    for (const wrong of ['tel:+49', 'sip:', 'sip:a@b:0', 'sip:%zz@b', 'sip:a@b c', 'http://x']) {
      expect(() => parseSipUri(wrong)).toThrow(SipParseError)
    }
  })
})

describe('digests', () => {
  it('are those of RFC 2617 and RFC 7616', () => {
    const md5 = parseChallenge(
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc"',
    )
    const answer = answerChallenge(
      md5 ?? never(),
      { username: 'Mufasa', password: 'Circle Of Life' },
      {
        method: 'GET',
        uri: '/dir/index.html',
        cnonce: '0a4f113b',
      },
    )
    expect(answer).toContain('response="6629fae49393a05397450978507c4ef1"')
    const sha = parseChallenge(
      'Digest realm="http-auth@example.org", qop="auth", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"',
    )
    const next = answerChallenge(
      sha ?? never(),
      { username: 'Mufasa', password: 'Circle of Life' },
      {
        method: 'GET',
        uri: '/dir/index.html',
        cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
      },
    )
    expect(next).toContain('response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"')
  })

  it('are not given to what asks for something else', () => {
    expect(parseChallenge('Basic realm="x"')).toBeNull()
    expect(parseChallenge('Digest realm="x", nonce="1", algorithm=SHA-512-256')).toBeNull()
    expect(parseChallenge('Digest realm="x", nonce="1", qop="auth-int"')).toBeNull()
  })
})

function never(): never {
  throw new Error('no challenge')
}
