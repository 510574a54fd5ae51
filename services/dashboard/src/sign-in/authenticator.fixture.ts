import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What a browser and its authenticator answer (WebAuthn, level 3), with an ES256 key and no attestation. */
export function createAuthenticator(origin: string) {
  const id = randomBytes(16)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const host = createHash('sha256').update(new URL(origin).hostname).digest()
  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const flags = { present: 0x01, verified: 0x04, withKey: 0x40 }
  const data = (bits: number, rest: Buffer = Buffer.alloc(0)) =>
    Buffer.concat([host, Buffer.from([bits]), Buffer.from([0, 0, 0, 0]), rest])
  const common = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  }
  return {
    register(challenge: string) {
      // The key in COSE: {1: 2 (EC), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
      const [px, py] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
      const key = [Buffer.from('a5010203262001215820', 'hex'), px, Buffer.from('225820', 'hex'), py]
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, ...key])
      const authData = data(flags.present | flags.verified | flags.withKey, credential)
      // {"fmt": "none", "attStmt": {}, "authData": bytes}
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex')
      const attestationObject = Buffer.concat([head, Buffer.from([authData.length]), authData]).toString('base64url')
      const clientDataJSON = clientData('webauthn.create', challenge, origin).toString('base64url')
      return { ...common, response: { clientDataJSON, attestationObject, transports: ['internal'] } }
    },
    signIn(challenge: string, from = origin) {
      const client = clientData('webauthn.get', challenge, from)
      const authData = data(flags.present | flags.verified)
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      const signature = sign('sha256', signed, privateKey).toString('base64url')
      const parts = { clientDataJSON: client.toString('base64url'), authenticatorData: authData.toString('base64url') }
      return { ...common, response: { ...parts, signature } }
    },
  }
}
