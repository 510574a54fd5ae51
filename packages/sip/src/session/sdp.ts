import { SipParseError } from '../message/sip-parse-error.ts'

/** Whether audio goes in both ways, seen from the side that wrote the description. */
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

export type CodecName = 'PCMU' | 'PCMA'

/** A stream that a description offers. */
export interface SdpMedia {
  readonly kind: string
  /** 0 for a stream that is refused. */
  readonly port: number
  readonly protocol: string
  /** As they were written; an answer that refuses the stream repeats them. */
  readonly formats: readonly string[]
  /** Of the stream, else of the session. */
  readonly host: string | null
  readonly rtcpPort: number | null
  readonly direction: Direction
  /** Name and rate of payload types, such as `PCMU/8000`, in capitals. */
  readonly encodings: ReadonlyMap<number, string>
}

export interface SdpSession {
  readonly media: readonly SdpMedia[]
}

const directions: readonly string[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive']
const maxMedia = 8
const staticEncodings: ReadonlyMap<number, string> = new Map([
  [0, 'PCMU/8000'],
  [8, 'PCMA/8000'],
])

/**
 * Reads what calls need of a session description (RFC 8866).
 *
 * @throws SipParseError and nothing else
 */
export function parseSdp(text: string): SdpSession {
  const lines = text.split(/\r\n|\n/)
  if (!lines[0]?.startsWith('v=0')) throw new SipParseError('sdp', 'version')
  const session: OpenMedia = emptyMedia('', 0, '', [])
  const media: OpenMedia[] = []
  for (const line of lines) {
    if (line === '') continue
    if (line[1] !== '=') throw new SipParseError('sdp', 'line')
    const value = line.slice(2)
    const open = media.at(-1) ?? session
    if (line[0] === 'm') media.push(parseMediaLine(value))
    else if (line[0] === 'c') open.host = parseConnection(value)
    else if (line[0] === 'a') readAttribute(open, value)
    if (media.length > maxMedia) throw new SipParseError('sdp', `more than ${maxMedia} streams`)
  }
  return {
    media: media.map((each) => ({
      ...each,
      host: each.host ?? session.host,
      direction: each.direction ?? session.direction ?? 'sendrecv',
    })),
  }
}

interface OpenMedia {
  readonly kind: string
  readonly port: number
  readonly protocol: string
  readonly formats: readonly string[]
  host: string | null
  rtcpPort: number | null
  direction: Direction | null
  readonly encodings: Map<number, string>
}

function emptyMedia(kind: string, port: number, protocol: string, formats: readonly string[]): OpenMedia {
  const encodings = new Map<number, string>()
  for (const format of formats) {
    const known = staticEncodings.get(Number(format))
    if (known !== undefined) encodings.set(Number(format), known)
  }
  return { kind, port, protocol, formats, host: null, rtcpPort: null, direction: null, encodings }
}

function parseMediaLine(value: string): OpenMedia {
  const [kind = '', portText = '', protocol = '', ...formats] = value.split(' ')
  // `49170/2` counts ports; only the first matters here.
  const port = Number(portText.split('/')[0] || Number.NaN)
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || protocol === '') throw new SipParseError('sdp', 'm=')
  return emptyMedia(kind, port, protocol, formats)
}

function parseConnection(value: string): string {
  const [network, type, address = ''] = value.split(' ')
  const host = address.split('/')[0] ?? ''
  if (network !== 'IN' || (type !== 'IP4' && type !== 'IP6') || host === '') throw new SipParseError('sdp', 'c=')
  return host
}

function readAttribute(open: OpenMedia, attribute: string): void {
  if (directions.includes(attribute)) open.direction = attribute as Direction
  if (attribute.startsWith('rtcp:')) {
    const port = Number(attribute.slice(5).split(' ')[0])
    if (Number.isInteger(port) && port >= 1_024 && port <= 65_535) open.rtcpPort = port
  }
  if (!attribute.startsWith('rtpmap:')) return
  const [type = '', encoding = ''] = attribute.slice(7).split(' ')
  if (!/^\d{1,3}$/.test(type) || Number(type) > 127) throw new SipParseError('sdp', 'rtpmap')
  const [name = '', rate = ''] = encoding.toUpperCase().split('/')
  open.encodings.set(Number(type), `${name}/${rate}`)
}

/** A description of ours: one stream of audio, with other streams of the offer refused. */
export interface OwnDescription {
  readonly sessionId: string
  /** Grows with every change. */
  readonly version: number
  readonly host: string
  readonly port: number
  readonly codecs: readonly { readonly name: CodecName; readonly payloadType: number }[]
  /** null: keys are not taken as events. */
  readonly eventPayloadType: number | null
  readonly direction: Direction
  /** Streams of the offer, in its order; the first of audio is ours. Empty in an offer of ours. */
  readonly offered: readonly SdpMedia[]
}

export function writeSdp(own: OwnDescription): string {
  const { sessionId, version, host } = own
  const type = host.includes(':') ? 'IP6' : 'IP4'
  const accepted = own.offered.findIndex(isUsableAudio)
  const media = own.offered.flatMap(({ kind, protocol, formats }, i) =>
    i === accepted ? audioLines(own) : [`m=${kind} 0 ${protocol} ${formats.join(' ')}`],
  )
  return [
    'v=0',
    `o=- ${sessionId} ${version} IN ${type} ${host}`,
    's=-',
    `c=IN ${type} ${host}`,
    't=0 0',
    ...(accepted < 0 ? audioLines(own) : media),
    '',
  ].join('\r\n')
}

function audioLines({ port, codecs, eventPayloadType, direction }: OwnDescription): string[] {
  const events = eventPayloadType === null ? [] : [eventPayloadType]
  return [
    `m=audio ${port} RTP/AVP ${[...codecs.map(({ payloadType }) => payloadType), ...events].join(' ')}`,
    ...codecs.map(({ name, payloadType }) => `a=rtpmap:${payloadType} ${name}/8000`),
    ...events.flatMap((type) => [`a=rtpmap:${type} telephone-event/8000`, `a=fmtp:${type} 0-15`]),
    'a=ptime:20',
    `a=${direction}`,
  ]
}

/** A stream of the kind that a call of ours uses. */
export function isUsableAudio({ kind, port, protocol }: SdpMedia): boolean {
  return kind === 'audio' && port > 0 && protocol === 'RTP/AVP'
}
