/* Messages of a peer that does what a test says, built from those that it answers. */

/** The value of a header line as it was written. */
export function lineOf(text: string, name: string): string {
  return text.match(new RegExp(`^${name}: (.*)$`, 'im'))?.[1]?.trim() ?? ''
}

/** An answer to a request. */
export function answerTo(
  request: string,
  status: number,
  {
    tag = 'peer',
    headers = [],
    body = '',
  }: { readonly tag?: string; readonly headers?: readonly string[]; readonly body?: string } = {},
): string {
  const to = lineOf(request, 'To')
  return [
    `SIP/2.0 ${status} Whatever`,
    `Via: ${lineOf(request, 'Via')}`,
    `From: ${lineOf(request, 'From')}`,
    `To: ${to.includes('tag=') || status === 100 ? to : `${to};tag=${tag}`}`,
    `Call-ID: ${lineOf(request, 'Call-ID')}`,
    `CSeq: ${lineOf(request, 'CSeq')}`,
    ...headers,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

export function contactAt(host: string): string {
  return `Contact: <sip:peer@${host}:5060>`
}

export function sdpAt(host: string, formats = '0 101'): string {
  return [
    'v=0',
    `o=- 1 1 IN IP4 ${host}`,
    's=-',
    `c=IN IP4 ${host}`,
    't=0 0',
    `m=audio 40000 RTP/AVP ${formats}`,
    'a=rtpmap:101 telephone-event/8000',
    '',
  ].join('\r\n')
}

/** A request of the peer. `headers` has what differs from call to call. */
export function requestOf(
  method: string,
  options: {
    readonly from: string
    readonly to: string
    readonly branch: string
    readonly cseq: number
    readonly toTag?: string
    readonly headers?: readonly string[]
    readonly body?: string
  },
): string {
  const { from, to, branch, cseq, toTag, headers = [], body = '' } = options
  return [
    `${method} sip:agent@${to} SIP/2.0`,
    `Via: SIP/2.0/UDP ${from}:5060;branch=z9hG4bK${branch}`,
    `From: <sip:peer@${from}>;tag=p1`,
    `To: <sip:agent@${to}>${toTag === undefined ? '' : `;tag=${toTag}`}`,
    'Call-ID: from-the-peer',
    `CSeq: ${cseq} ${method}`,
    'Max-Forwards: 70',
    contactAt(from),
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}
