import type { Brand } from '@ratchet/contracts/brand'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** What the edge reads from the raw headers of a request. It ignores all others. */
export interface RequestHead {
  /** The Authorization header; null when there is none, or more than one. */
  readonly authorization: string | null
  /**
   * `x-api-key`, or the header of the same kind that clients of Azure or Google send; several joined by commas; null
   * without one, or beside more than one Authorization.
   */
  readonly apiKey: string | null
  /** Bytes; null without a body or when its length is not declared. */
  readonly contentLength: number | null
  readonly isChunked: boolean
  readonly expectsContinue: boolean
  /** Whether the body is compressed by gzip, which few endpoints accept. */
  readonly isGzipped: boolean
  /** Alternating names and values, rebuilt from the allow-list. */
  readonly forwarded: string[]
  /** 0 or 1. */
  readonly hostCount: number
  /** Number of headers that only the fleet may set. */
  readonly spoofedCount: number
}

export type ReadHead = (rawHeaders: readonly string[]) => RequestHead

/** Headers of API clients that are forwarded unchanged, besides those of the brand. */
export const apiHeaders: readonly string[] = [
  'content-type',
  'accept',
  'accept-encoding',
  'user-agent',
  'anthropic-beta', // inference reads both on Messages
  'anthropic-version',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'prefer',
  'range', // voice reads it for recordings
  'traceparent',
  'tracestate',
]

/** Headers of browsers that are forwarded unchanged to the dashboard, besides those of the brand: never a key. */
export const browserHeaders: readonly string[] = [
  'cookie',
  'origin',
  'referer',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'sec-fetch-user',
  'content-type',
  'accept',
  'accept-encoding',
  'accept-language',
  'range',
  'user-agent',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'prefer',
  'last-event-id',
  'stripe-signature', // the dashboard passes it on with messages about payments
]
/** The headers in which clients of Anthropic, Azure and Google send a key. */
const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key']
const methodOverrides = ['x-http-method-override', 'x-http-method', 'x-method-override']
const spoofed = /^x[-_]internal[-_]/

interface Draft {
  authorization: string | null
  apiKey: string | null
  authorizations: number
  hostCount: number
  contentLength: number | null
  isChunked: boolean
  expectsContinue: boolean
  isGzipped: boolean
  forwarded: string[]
  spoofedCount: number
  /** Headers that `Connection` names, which are not forwarded. */
  hopNames: readonly string[]
  /** The trace id of a valid `traceparent`; null without one. */
  clientTrace: string | null
  namesTrace: boolean
}

type Rule = (draft: Draft, value: string, name: string) => void

export interface HeadRules {
  /** Names of headers that are forwarded unchanged. */
  readonly passed: readonly string[]
  /** Internal headers that the callers of this listener may set. They are not forwarded. */
  readonly ownInternal?: readonly string[]
}

/**
 * Creates the reader of request heads for a brand's header names. The reader throws `invalid_request` for a head that is
 * ambiguous, and for values that a header does not allow.
 */
export function headReader(brand: Brand, { passed, ownInternal = [] }: HeadRules = { passed: apiHeaders }): ReadHead {
  const rules = headerRules(brand, passed)
  for (const name of ownInternal) rules.set(name, ignore)
  const brandPrefix = `x-${brand.word.toLowerCase()}-`
  return (rawHeaders) => {
    const draft = emptyDraft()
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = (rawHeaders[i] as string).toLowerCase()
      const value = rawHeaders[i + 1] as string
      const rule = rules.get(name)
      if (rule !== undefined) rule(draft, value, name)
      else if (name.startsWith(brandPrefix)) draft.forwarded.push(name, value)
      else if (spoofed.test(name)) draft.spoofedCount += 1
    }
    nameTrace(draft, brand)
    return finish(draft)
  }
}

function emptyDraft(): Draft {
  return {
    authorization: null,
    apiKey: null,
    authorizations: 0,
    hostCount: 0,
    contentLength: null,
    isChunked: false,
    expectsContinue: false,
    isGzipped: false,
    forwarded: [],
    spoofedCount: 0,
    hopNames: [],
    clientTrace: null,
    namesTrace: false,
  }
}

/**
 * The trace of a client's `traceparent` is the trace of its exchanges unless the client names another one, so that what the
 * gateway logs and what the client's exporter sends are one row. Read here, because the fleet's own spans have one too.
 */
function nameTrace(draft: Draft, { headers }: Brand): void {
  if (draft.clientTrace !== null && !draft.namesTrace) {
    draft.forwarded.push(headers.traceId.toLowerCase(), draft.clientTrace)
  }
}

function finish(draft: Draft): RequestHead {
  if (draft.hostCount > 1) throw refused('The request has more than one Host header.')
  if (draft.authorizations > 1) {
    draft.authorization = null
    draft.apiKey = null
  }
  if (draft.hopNames.length > 0) draft.forwarded = withoutNames(draft.forwarded, draft.hopNames)
  return draft
}

function headerRules(brand: Brand, passed: readonly string[]): Map<string, Rule> {
  return new Map<string, Rule>([
    ...passed.map((name): [string, Rule] => [name, name === 'traceparent' ? takeTraceparent : pass]),
    ...methodOverrides.map((name): [string, Rule] => [name, refuseMethodOverride]),
    ['host', countHost],
    ['authorization', takeAuthorization],
    ...keyHeaders.map((name): [string, Rule] => [name, takeApiKey]),
    ['connection', takeConnection],
    ['content-length', takeContentLength],
    ['transfer-encoding', takeTransferEncoding],
    ['content-encoding', takeContentEncoding],
    ['expect', takeExpect],
    // Inference refuses a tag that is too long, because only it can name the alias in the refusal.
    [brand.headers.tag.toLowerCase(), checked(brand.headers.tag, /^[\x20-\x7e]*$/, '0 to 64 printable ASCII')],
    [brand.headers.traceId.toLowerCase(), takeTraceId(brand.headers.traceId)],
  ])
}

const pass: Rule = (draft, value, name) => {
  draft.forwarded.push(name, value)
}

const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/

/** An invalid one is forwarded all the same, because whoever reads it ignores it. */
const takeTraceparent: Rule = (draft, value, name) => {
  draft.clientTrace = traceparent.exec(value)?.[1] ?? null
  pass(draft, value, name)
}

function takeTraceId(header: string): Rule {
  const check = checked(header, /^[\x21-\x7e]{0,128}$/, '0 to 128 visible ASCII')
  return (draft, value, name) => {
    draft.namesTrace ||= value !== ''
    check(draft, value, name)
  }
}

const ignore: Rule = () => undefined

const countHost: Rule = (draft) => {
  draft.hostCount += 1
}

const takeAuthorization: Rule = (draft, value) => {
  draft.authorizations += 1
  draft.authorization = value
}

const takeApiKey: Rule = (draft, value) => {
  draft.apiKey = draft.apiKey === null ? value : `${draft.apiKey}, ${value}`
}

const takeConnection: Rule = (draft, value) => {
  if (value === 'keep-alive' || value === 'close') return
  const names = value.toLowerCase().split(',')
  draft.hopNames = [...draft.hopNames, ...names.map((name) => name.trim())]
}

const takeContentLength: Rule = (draft, value) => {
  draft.contentLength = Number(value)
}

const takeTransferEncoding: Rule = (draft, value) => {
  if (value.toLowerCase() !== 'chunked') throw refused('The only accepted transfer coding is "chunked".')
  draft.isChunked = true
}

const takeContentEncoding: Rule = (draft, value, name) => {
  const coding = value.toLowerCase()
  if (coding === 'identity') return
  if (coding !== 'gzip' || draft.isGzipped) throw compressedBody()
  draft.isGzipped = true
  draft.forwarded.push(name, coding)
}

const takeExpect: Rule = (draft, value) => {
  if (value.toLowerCase() !== '100-continue') throw refused('The only accepted expectation is "100-continue".')
  draft.expectsContinue = true
}

const refuseMethodOverride: Rule = () => {
  throw refused('Headers cannot override the method.')
}

function checked(header: string, pattern: RegExp, what: string): Rule {
  return (draft, value, name) => {
    if (!pattern.test(value) || hasName(draft.forwarded, name)) {
      throw new ServiceError('invalid_request', `${header} must be given once and have ${what} characters.`, {
        param: header,
      })
    }
    draft.forwarded.push(name, value)
  }
}

function hasName(headers: readonly string[], name: string): boolean {
  return headers.some((entry, i) => i % 2 === 0 && entry === name)
}

function withoutNames(headers: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string
    if (!names.includes(name)) kept.push(name, headers[i + 1] as string)
  }
  return kept
}

/** The error for a body that is compressed where the endpoint does not accept that. */
export function compressedBody(): ServiceError {
  return new ServiceError('unsupported_media_type', 'Request bodies must not be compressed.')
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message)
}
