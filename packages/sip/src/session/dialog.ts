import { isIP } from 'node:net'
import { parseNameAddress, writeNameAddress } from '../message/header-values.ts'
import { listHeader } from '../message/parse-message.ts'
import {
  headerOf,
  type RequestDraft,
  type SipHeader,
  type SipMessage,
  type SipRequest,
} from '../message/sip-message.ts'
import { SipParseError } from '../message/sip-parse-error.ts'
import { parseSipUri } from '../message/sip-uri.ts'
import type { SipPeer } from '../ports.ts'

/** What both sides of a call know of each other (RFC 3261, section 12). Plain data, so that another process can go on. */
export interface Dialog {
  readonly callId: string
  readonly localTag: string
  readonly remoteTag: string
  /** Addresses of From and To, without tags. */
  readonly local: string
  readonly remote: string
  /** Where requests go to in the end. */
  readonly remoteTarget: string
  /** Proxies on the way, in our order. */
  readonly routes: readonly string[]
  /** Of the last request of each side. */
  readonly localCseq: number
  readonly remoteCseq: number
  /** Where the last message of the other side came from. */
  readonly peer: SipPeer
}

/** The dialog that an answer with 2xx of ours opens. @throws SipParseError */
export function dialogOfRequest(request: SipRequest, localTag: string, peer: SipPeer): Dialog {
  return {
    callId: request.callId,
    localTag,
    remoteTag: request.from.params.get('tag') ?? '',
    local: withoutTag(request.to),
    remote: withoutTag(request.from),
    remoteTarget: contactOf(request),
    routes: listHeader(request.headers, 'record-route'),
    localCseq: 0,
    remoteCseq: request.cseq.number,
    peer,
  }
}

/** The dialog that an answer with 2xx of the other side opens. @throws SipParseError */
export function dialogOfResponse(response: SipMessage, peer: SipPeer): Dialog {
  return {
    callId: response.callId,
    localTag: response.from.params.get('tag') ?? '',
    remoteTag: response.to.params.get('tag') ?? '',
    local: withoutTag(response.from),
    remote: withoutTag(response.to),
    remoteTarget: contactOf(response),
    routes: listHeader(response.headers, 'record-route').reverse(),
    localCseq: response.cseq.number,
    remoteCseq: 0,
    peer,
  }
}

function withoutTag(address: SipRequest['from']): string {
  return writeNameAddress({ ...address, params: new Map() })
}

/** @throws SipParseError */
export function contactOf({ headers }: Pick<SipMessage, 'headers'>): string {
  const [contact] = listHeader(headers, 'contact')
  if (contact === undefined) throw new SipParseError('missing_header', 'contact')
  const { uri } = parseNameAddress(contact)
  parseSipUri(uri)
  return uri
}

/** A request of ours in a dialog. An ACK has the number of its INVITE, every other request the next. */
export function requestInDialog(
  dialog: Dialog,
  method: string,
  {
    headers = [],
    body = '',
    cseq,
  }: { readonly headers?: readonly SipHeader[]; readonly body?: string; readonly cseq: number },
): RequestDraft {
  return {
    method,
    uri: dialog.remoteTarget,
    headers: [
      { name: 'max-forwards', value: '70' },
      ...dialog.routes.map((value) => ({ name: 'route', value })),
      { name: 'from', value: `${dialog.local};tag=${dialog.localTag}` },
      { name: 'to', value: dialog.remoteTag === '' ? dialog.remote : `${dialog.remote};tag=${dialog.remoteTag}` },
      { name: 'call-id', value: dialog.callId },
      { name: 'cseq', value: `${cseq} ${method}` },
      ...headers,
    ],
    body,
  }
}

/**
 * Where a request in a dialog is sent: the first proxy, else the target. An address that is not of the trunk is never sent to;
 * then, as behind a NAT, it goes to where the last message came from.
 */
export function nextHop({ routes, remoteTarget, peer }: Dialog, isPeer: (host: string) => boolean): SipPeer {
  try {
    const [route] = routes
    const uri = parseSipUri(route === undefined ? remoteTarget : parseNameAddress(route).uri)
    if (isIP(uri.host) === 0 || !isPeer(uri.host)) return peer
    const named = uri.params.get('transport')?.toLowerCase()
    const transport = named === 'tcp' || named === 'tls' || named === 'udp' ? named : peer.transport
    return { transport, host: uri.host, port: uri.port ?? (transport === 'tls' ? 5061 : 5060) }
  } catch {
    return peer
  }
}

/** Whether a request belongs to the dialog and is newer than the last (RFC 3261, section 12.2.2). */
export function isInOrder(dialog: Dialog, request: SipRequest): boolean {
  return request.cseq.number > dialog.remoteCseq
}

/** The dialog after a request of the other side, which may name a new target. */
export function afterRequest(dialog: Dialog, request: SipRequest, peer: SipPeer): Dialog {
  const isRefresh = request.method === 'INVITE' || request.method === 'UPDATE'
  const remoteTarget = isRefresh && headerOf(request, 'contact') !== null ? contactOf(request) : dialog.remoteTarget
  return { ...dialog, remoteCseq: request.cseq.number, remoteTarget, peer }
}
