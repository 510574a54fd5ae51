import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface MadeCertificate {
  /** The certificate, as PEM. */
  readonly certificate: string
  /** The private key, as PEM. */
  readonly key: string
}

export interface CertificateAuthority {
  /** Its own certificate, as PEM. */
  readonly certificate: string
  /** Issues a certificate for 127.0.0.1, or for a name instead. */
  issue(name?: string): MadeCertificate
}

/** Makes an authority for one test, which nothing else trusts. */
export function makeAuthority(name: string): CertificateAuthority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certify = (subject: string, subjectKey: KeyObject, extensions: Buffer) =>
    pem('CERTIFICATE', signed(certificateBody({ issuer: name, subject, subjectKey, extensions }), privateKey))
  return {
    certificate: certify(name, publicKey, isAuthority),
    issue(host) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const names = host === undefined ? der(0x87, Buffer.from([127, 0, 0, 1])) : der(0x82, Buffer.from(host))
      return {
        certificate: certify(host ?? '127.0.0.1', own.publicKey, alternativeNames(names)),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

interface Body {
  readonly issuer: string
  readonly subject: string
  readonly subjectKey: KeyObject
  readonly extensions: Buffer
}

let serial = 0

/** The part of a certificate that is signed: RFC 5280, section 4.1. */
function certificateBody({ issuer, subject, subjectKey, extensions }: Body): Buffer {
  serial += 1
  return sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1, serial >> 8, serial & 255)),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    nameOf(subject),
    subjectKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extensions)),
  )
}

function signed(body: Buffer, key: KeyObject): Buffer {
  return sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, key)])))
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const isAuthority = extension('551d13', sequence(der(0x01, Buffer.of(255))))

function alternativeNames(names: Buffer): Buffer {
  return extension('551d11', sequence(names))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value))
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))))
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
