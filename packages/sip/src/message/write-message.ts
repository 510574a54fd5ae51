import { writeNameAddress } from './header-values.ts'
import type { RequestDraft, ResponseDraft, SipHeader, SipRequest } from './sip-message.ts'

const reasons: ReadonlyMap<number, string> = new Map([
  [100, 'Trying'],
  [180, 'Ringing'],
  [183, 'Session Progress'],
  [200, 'OK'],
  [202, 'Accepted'],
  [400, 'Bad Request'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [408, 'Request Timeout'],
  [415, 'Unsupported Media Type'],
  [420, 'Bad Extension'],
  [422, 'Session Interval Too Small'],
  [480, 'Temporarily Unavailable'],
  [481, 'Call/Transaction Does Not Exist'],
  [486, 'Busy Here'],
  [487, 'Request Terminated'],
  [488, 'Not Acceptable Here'],
  [491, 'Request Pending'],
  [500, 'Server Internal Error'],
  [503, 'Service Unavailable'],
  [603, 'Decline'],
])

/** @param via the whole value of the header */
export function writeRequest({ method, uri, headers, body }: RequestDraft, via: string): Buffer {
  return write(`${method} ${uri} SIP/2.0`, [{ name: 'via', value: via }, ...headers], body)
}

/** @param toTag what the To gets when it has no tag yet */
export function writeResponse(request: SipRequest, draft: ResponseDraft, toTag: string): Buffer {
  const { status, headers = [], body = '' } = draft
  const isTagged = status === 100 || request.to.params.has('tag')
  const to = isTagged ? request.to : { ...request.to, params: new Map([...request.to.params, ['tag', toTag]]) }
  const routes = status < 300 ? request.headers.filter(({ name }) => name === 'record-route') : []
  const copied = [
    ...request.via.map(({ text }) => ({ name: 'via', value: text })),
    { name: 'from', value: writeNameAddress(request.from) },
    { name: 'to', value: writeNameAddress(to) },
    { name: 'call-id', value: request.callId },
    { name: 'cseq', value: `${request.cseq.number} ${request.cseq.method}` },
    ...routes,
  ]
  return write(`SIP/2.0 ${status} ${reasons.get(status) ?? 'Status'}`, [...copied, ...headers], body)
}

/** @throws RangeError when a header would end its line */
function write(startLine: string, headers: readonly SipHeader[], body: string): Buffer {
  const lines = [startLine, ...headers.map(({ name, value }) => `${shownName(name)}: ${value}`)]
  for (const line of lines) if (/[\r\n\0]/.test(line)) throw new RangeError('a header must be one line')
  const bytes = Buffer.from(body)
  lines.push(`Content-Length: ${bytes.length}`, '', '')
  return Buffer.concat([Buffer.from(lines.join('\r\n')), bytes])
}

const shownNames: ReadonlyMap<string, string> = new Map([
  ['call-id', 'Call-ID'],
  ['cseq', 'CSeq'],
  ['min-se', 'Min-SE'],
  ['www-authenticate', 'WWW-Authenticate'],
])

function shownName(name: string): string {
  return shownNames.get(name) ?? name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
