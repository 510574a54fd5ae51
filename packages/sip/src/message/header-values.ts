import { SipParseError } from './sip-parse-error.ts'

/* Every function reads its input once, from left to right: no pattern with a choice of repetitions, no recursion. */

/** Parameters behind semicolons: names in small letters, values without quotes, '' where there is none. */
export type SipParams = ReadonlyMap<string, string>

/** The value of From, To, Contact, Route, Refer-To: a URI with a name and parameters (RFC 3261, section 20.10). */
export interface NameAddress {
  /** '' when there is none. */
  readonly name: string
  readonly uri: string
  readonly params: SipParams
}

/** A hop of a message (RFC 3261, section 20.42). */
export interface Via {
  /** `UDP`, `TCP` or `TLS`, in capitals. */
  readonly transport: string
  readonly host: string
  readonly port: number | null
  readonly params: SipParams
  /** As it was written, which an answer repeats. */
  readonly text: string
}

const tokenPattern = /^[\w\-.!%*+`'~]+$/

/** A word of the protocol, such as the name of a header or of a method. */
export function isToken(text: string): boolean {
  return tokenPattern.test(text)
}

/** Splits at a separator outside of quotes and angle brackets; parts have no white space around them. */
export function splitOutsideQuotes(text: string, separator: ',' | ';' | ' '): string[] {
  const parts: string[] = []
  let isQuoted = false
  let isBracketed = false
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (isQuoted) {
      if (character === '\\') i++
      else if (character === '"') isQuoted = false
    } else if (character === '"') isQuoted = true
    else if (character === '<') isBracketed = true
    else if (character === '>') isBracketed = false
    else if (character === separator && !isBracketed) {
      parts.push(text.slice(from, i).trim())
      from = i + 1
    }
  }
  if (isQuoted || isBracketed) throw new SipParseError('header', 'a quote or bracket has no end')
  parts.push(text.slice(from).trim())
  return parts
}

/** @param parts `name=value` or `name` each */
export function parseParams(parts: readonly string[]): SipParams {
  const params = new Map<string, string>()
  for (const part of parts) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = (at < 0 ? part : part.slice(0, at)).trim().toLowerCase()
    if (name === '') throw new SipParseError('header', 'a parameter without a name')
    if (!params.has(name)) params.set(name, at < 0 ? '' : unquote(part.slice(at + 1).trim()))
  }
  return params
}

export function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  let plain = ''
  for (let i = 1; i < text.length - 1; i++) {
    if (text[i] === '\\' && i < text.length - 2) i++
    plain += text[i]
  }
  return plain
}

/** @throws SipParseError */
export function parseNameAddress(value: string): NameAddress {
  const [address = '', ...params] = splitOutsideQuotes(value, ';')
  const open = bracketOf(address)
  // Without brackets, what follows a semicolon belongs to the header, not to the URI.
  if (open < 0) {
    if (address === '' || /\s/.test(address)) throw new SipParseError('header', 'an address without a URI')
    return { name: '', uri: address, params: parseParams(params) }
  }
  const close = address.indexOf('>', open)
  if (address.slice(close + 1).trim() !== '') throw new SipParseError('header', 'text behind an address')
  const uri = address.slice(open + 1, close).trim()
  if (uri === '' || /\s/.test(uri)) throw new SipParseError('header', 'an address without a URI')
  return { name: unquote(address.slice(0, open).trim()), uri, params: parseParams(params) }
}

/** Where the URI begins, outside of a quoted name. */
function bracketOf(address: string): number {
  let isQuoted = false
  for (let i = 0; i < address.length; i++) {
    if (isQuoted && address[i] === '\\') i++
    else if (address[i] === '"') isQuoted = !isQuoted
    else if (address[i] === '<' && !isQuoted) return i
  }
  return -1
}

/** @throws SipParseError */
export function parseVia(text: string): Via {
  const [hop = '', ...params] = splitOutsideQuotes(text, ';')
  // White space is allowed around each slash.
  const slash = hop.indexOf('/')
  const second = hop.indexOf('/', slash + 1)
  const rest = hop.slice(second + 1).trim()
  const space = rest.search(/\s/)
  if (slash < 0 || second < 0 || space < 0) throw new SipParseError('header', 'Via')
  if (hop.slice(0, slash).trim().toUpperCase() !== 'SIP' || hop.slice(slash + 1, second).trim() !== '2.0') {
    throw new SipParseError('version', 'Via')
  }
  const { host, port } = parseHostPort(rest.slice(space).trim())
  return { transport: rest.slice(0, space).toUpperCase(), host, port, params: parseParams(params), text }
}

/** @throws SipParseError */
export function parseHostPort(text: string): { readonly host: string; readonly port: number | null } {
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':')
  const host = (end <= 0 ? text : text.slice(0, end)).trim()
  const rest = end <= 0 ? '' : text.slice(end).trim()
  if (!/^[\w\-.[\]:%]+$/.test(host)) throw new SipParseError('uri', 'host')
  if (rest === '') return { host: bare(host), port: null }
  const port = Number(rest.slice(1).trim())
  if (!rest.startsWith(':') || !Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SipParseError('uri', 'port')
  }
  return { host: bare(host), port }
}

function bare(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

/** `host:port`, with brackets for IPv6. */
export function writeHostPort(host: string, port: number | null): string {
  const shown = host.includes(':') ? `[${host}]` : host
  return port === null ? shown : `${shown}:${port}`
}

export function writeNameAddress({ name, uri, params }: NameAddress): string {
  const shown = name === '' ? '' : `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}" `
  return `${shown}<${uri}>${writeParams(params)}`
}

function writeParams(params: SipParams): string {
  return [...params].map(([name, value]) => (value === '' ? `;${name}` : `;${name}=${value}`)).join('')
}
