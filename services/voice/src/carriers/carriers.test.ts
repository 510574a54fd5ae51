import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { writeInstruction } from './instructions.ts'
import { isSignedByTelnyx, isSignedByTwilio } from './signatures.ts'

const url = 'https://voice.example.com/carriers/twilio/num_1/voice?call=call_2'
const body = Buffer.from('CallSid=CA1&From=%2B4930&Caller=A+B')

it('knows requests that Twilio signed for this URL and these fields, and no others', () => {
  const text = `${url}CallSidCA1CallerA BFrom+4930`
  const signature = createHmac('sha1', 'secret-token').update(text).digest('base64')
  const headers = { 'x-twilio-signature': signature }
  expect(isSignedByTwilio({ url, headers, body }, 'secret-token')).toBe(true)
  const forged = [
    { url: url.replace('https', 'http'), headers, body },
    { url: `${url}0`, headers, body },
    { url, headers, body: Buffer.concat([body, Buffer.from('&x=1')]) },
    { url, headers: {}, body },
    { url, headers: { 'x-twilio-signature': `${signature}x` }, body },
    { url, headers: { 'x-twilio-signature': '' }, body },
  ]
  expect(forged.map((each) => isSignedByTwilio(each, 'secret-token'))).toEqual(forged.map(() => false))
  expect(isSignedByTwilio({ url, headers, body }, 'other-token')).toBe(false)
})

/** The example of Twilio's own documentation of request validation. */
it('computes the signature as Twilio documents it', () => {
  const fields = {
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  }
  const headers = { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' }
  const request = {
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    headers,
    body: Buffer.from(new URLSearchParams(fields).toString()),
  }
  expect(isSignedByTwilio(request, '12345')).toBe(true)
})

it('knows requests that Telnyx signed within five minutes', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const nowMs = 1_800_000_000_000
  const signed = (timestamp: string, text = body) => ({
    url,
    body: text,
    headers: {
      'telnyx-timestamp': timestamp,
      'telnyx-signature-ed25519': sign(null, Buffer.concat([Buffer.from(`${timestamp}|`), text]), privateKey).toString(
        'base64',
      ),
    },
  })
  const good = signed('1800000000')
  expect(isSignedByTelnyx(good, key, nowMs)).toBe(true)
  const forged = [
    signed('1799999600'),
    signed('1800000400'),
    signed('now'),
    { ...good, body: Buffer.from('CallSid=CA2') },
    { ...good, headers: { ...good.headers, 'telnyx-timestamp': '1800000001' } },
    { ...good, headers: { ...good.headers, 'telnyx-signature-ed25519': 'AAAA' } },
    { ...good, headers: {} },
  ]
  expect(forged.map((each) => isSignedByTelnyx(each, key, nowMs))).toEqual(forged.map(() => false))
})

it('tells each carrier in its words to connect, and lets no value out of its attribute', () => {
  const connect = { kind: 'connect', mediaUrl: 'wss://v/media/1', afterUrl: 'https://v/r?a=1&b="<' } as const
  expect(writeInstruction('twilio', connect)).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Response><Connect action="https://v/r?a=1&amp;b=&quot;&lt;" method="POST"><Stream url="wss://v/media/1"/></Connect></Response>',
  )
  expect(writeInstruction('telnyx', connect)).toContain('bidirectionalMode="rtp" bidirectionalCodec="PCMU"')
  expect(writeInstruction('twilio', { kind: 'reject' })).toContain('<Reject reason="busy"/>')
  expect(writeInstruction('telnyx', { kind: 'hang_up' })).toContain('<Hangup/>')
  expect(writeInstruction('twilio', { kind: 'dial', number: '+4930', callerId: '+49' })).toContain(
    '<Dial callerId="+49">+4930</Dial>',
  )
})
