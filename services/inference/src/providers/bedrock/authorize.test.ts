import { createHmac, hash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import { createSigner } from './authorize.ts'

/** The key and time of AWS's published Signature Version 4 test suite. */
const accessKeyId = 'AKIDEXAMPLE'
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const at = new Date('2015-08-30T12:36:00Z')
/** The signature of `post-vanilla` in that suite: an empty `POST /` with `host` and `x-amz-date`. */
const postVanilla = '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'

/** A signature computed step by step from the specification, for comparison. */
function signatureOf(call: {
  readonly service: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodyHash: string
}): string {
  const names = Object.keys(call.headers).sort()
  const headers = names.map((name) => `${name}:${call.headers[name]}`)
  const canonical = ['POST', call.path, '', ...headers, '', names.join(';'), call.bodyHash].join('\n')
  const scope = ['20150830', 'us-east-1', call.service, 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', '20150830T123600Z', scope.join('/'), hash('sha256', canonical)].join('\n')
  const hmac = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest()
  return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`), text).toString('hex')
}

describe('createSigner', () => {
  it("is compared with a signer that gives the signature of AWS's published example", async () => {
    const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' }
    expect(signatureOf({ service: 'service', path: '/', headers, bodyHash: hash('sha256', '') })).toBe(postVanilla)
    const credentials = { accessKeyId, secretAccessKey }
    const options = { service: 'service', region: 'us-east-1', credentials, sha256: Sha256, applyChecksum: false }
    const request = { method: 'POST', protocol: 'https:', hostname: headers.host, path: '/', query: {}, headers }
    const signed = await new SignatureV4(options).sign(request, { signingDate: at })
    expect(signed.headers.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=host;x-amz-date, Signature=${postVanilla}`,
    )
  })

  it('signs host, type, time, token and body, and encodes the path once more', async () => {
    const body = Buffer.from('{"messages":[]}')
    const sign = createSigner(
      { kind: 'signature', accessKeyId, secretAccessKey, sessionToken: 'tok', region: null },
      'us-east-1',
    )
    const host = 'bedrock-runtime.us-east-1.amazonaws.com'
    const signed = await sign({ host, path: '/model/anthropic.claude-v2%3A1/converse', body, at })
    const headers = {
      host,
      'content-type': 'application/json',
      'x-amz-content-sha256': hash('sha256', body),
      'x-amz-date': '20150830T123600Z',
      'x-amz-security-token': 'tok',
    }
    const path = '/model/anthropic.claude-v2%253A1/converse'
    const signature = signatureOf({ service: 'bedrock', path, headers, bodyHash: hash('sha256', body) })
    const { host: _sentAnyway, ...sent } = headers
    expect(signed).toEqual({
      ...sent,
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, ' +
        `Signature=${signature}`,
    })
  })
})
