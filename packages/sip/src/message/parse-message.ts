import { isToken, parseNameAddress, parseVia, splitOutsideQuotes } from './header-values.ts'
import { headerOf, type SipHeader, type SipMessage } from './sip-message.ts'
import { SipParseError } from './sip-parse-error.ts'

/** Bytes that a message may have. */
export const maxMessageBytes = 8_192
const maxHeaders = 100

const longNames: ReadonlyMap<string, string> = new Map([
  ['a', 'accept-contact'],
  ['b', 'referred-by'],
  ['c', 'content-type'],
  ['e', 'content-encoding'],
  ['f', 'from'],
  ['i', 'call-id'],
  ['k', 'supported'],
  ['l', 'content-length'],
  ['m', 'contact'],
  ['o', 'event'],
  ['r', 'refer-to'],
  ['s', 'subject'],
  ['t', 'to'],
  ['u', 'allow-events'],
  ['v', 'via'],
  ['x', 'session-expires'],
])
const singleHeaders = ['from', 'to', 'call-id', 'cseq', 'content-length', 'max-forwards']

/**
 * Reads one message in time that grows with its length only.
 *
 * @param bytes a datagram, or what a stream's splitter found
 * @throws SipParseError and nothing else
 */
export function parseMessage(bytes: Buffer): SipMessage {
  if (bytes.length > maxMessageBytes) throw new SipParseError('too_large', `more than ${maxMessageBytes} bytes`)
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) throw new SipParseError('no_head_end', 'no empty line')
  const lines = unfold(bytes.toString('utf8', 0, end).split('\r\n'))
  const headers = parseHeaders(lines.slice(1))
  for (const name of singleHeaders) {
    if (headers.filter((header) => header.name === name).length > 1) throw new SipParseError('repeated_header', name)
  }
  const [newest, ...older] = listHeader(headers, 'via').map(parseVia)
  if (newest === undefined) throw new SipParseError('missing_header', 'via')
  const start = parseStartLine(lines[0] ?? '')
  const cseq = parseCseq(required(headers, 'cseq'))
  if (start.kind === 'request' && start.method !== cseq.method) throw new SipParseError('header', 'CSeq')
  return {
    ...start,
    headers,
    via: [newest, ...older],
    from: parseNameAddress(required(headers, 'from')),
    to: parseNameAddress(required(headers, 'to')),
    callId: required(headers, 'call-id'),
    cseq,
    body: parseBody(bytes.subarray(end + 4), headerOf({ headers }, 'content-length')),
  }
}

/** Values of a header that may be a list, over several lines or behind commas. */
export function listHeader(headers: readonly SipHeader[], name: string): string[] {
  const values: string[] = []
  for (const header of headers) {
    if (header.name === name) values.push(...splitOutsideQuotes(header.value, ',').filter((value) => value !== ''))
  }
  return values
}

function parseStartLine(line: string) {
  const [first = '', second = '', ...rest] = line.split(' ')
  if (/^SIP\/\d/i.test(first)) {
    if (first.toUpperCase() !== 'SIP/2.0') throw new SipParseError('version', 'start line')
    if (!/^[1-6]\d\d$/.test(second)) throw new SipParseError('start_line', 'status')
    return { kind: 'response', status: Number(second), reason: rest.join(' ') } as const
  }
  if (!isToken(first) || second === '' || rest.length !== 1) throw new SipParseError('start_line', 'request')
  if (rest[0]?.toUpperCase() !== 'SIP/2.0') throw new SipParseError('version', 'start line')
  if (/[<>"\s]/.test(second)) throw new SipParseError('uri', 'request')
  return { kind: 'request', method: first, uri: second } as const
}

/** Joins lines that begin with white space to the line before (RFC 3261, section 7.3.1). */
function unfold(lines: readonly string[]): string[] {
  const unfolded: string[][] = []
  for (const line of lines) {
    if (line.startsWith(' ') || line.startsWith('\t')) {
      const last = unfolded.at(-1)
      if (last === undefined) throw new SipParseError('start_line', 'begins with white space')
      last.push(line.trim())
    } else unfolded.push([line])
  }
  return unfolded.map((parts) => parts.join(' '))
}

function parseHeaders(lines: readonly string[]): SipHeader[] {
  if (lines.length > maxHeaders) throw new SipParseError('too_large', `more than ${maxHeaders} headers`)
  return lines.map((line) => {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (!isToken(name)) throw new SipParseError('header', 'name')
    return { name: longNames.get(name) ?? name, value: line.slice(colon + 1).trim() }
  })
}

function required(headers: readonly SipHeader[], name: string): string {
  const value = headerOf({ headers }, name)
  if (value === null || value === '') throw new SipParseError('missing_header', name)
  return value
}

function parseCseq(value: string) {
  const [digits = '', method = '', ...rest] = value.split(/\s+/)
  const number = Number(digits)
  if (!/^\d{1,10}$/.test(digits) || number > 0x7fff_ffff || !isToken(method) || rest.length > 0) {
    throw new SipParseError('header', 'CSeq')
  }
  return { number, method }
}

function parseBody(rest: Buffer, length: string | null): string {
  if (length === null) return rest.toString('utf8')
  if (!/^\d{1,6}$/.test(length) || Number(length) > rest.length) throw new SipParseError('length', 'Content-Length')
  return rest.toString('utf8', 0, Number(length))
}
