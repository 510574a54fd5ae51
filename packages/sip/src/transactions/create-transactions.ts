import { writeHostPort } from '../message/header-values.ts'
import type { RequestDraft, SipMessage, SipRequest } from '../message/sip-message.ts'
import { writeRequest } from '../message/write-message.ts'
import { type HostPort, type RandomBytes, randomHex, type SipClock, type SipPeer } from '../ports.ts'
import { type ClientEvents, type ClientTransaction, createClientTransaction } from './client-transaction.ts'
import { createRoom } from './create-room.ts'
import { createServerTransaction, type ServerTransaction, type ServerTransactionControl } from './server-transaction.ts'

/** The transactions of one agent: they repeat what was lost and hide what comes twice. */
export interface Transactions {
  receive(message: SipMessage, from: SipPeer): void
  /** Sends a request and repeats it until it is answered. */
  request(draft: RequestDraft, to: SipPeer, events: ClientEvents): ClientTransaction
  /** Sends an ACK of an answer with 2xx, which has no answer. */
  acknowledge(draft: RequestDraft, to: SipPeer): void
  /** Transactions under way, for a metric. */
  readonly size: number
}

export interface TransactionsDeps {
  readonly clock: SipClock
  readonly random: RandomBytes
  readonly send: (message: Buffer, to: SipPeer) => void
  readonly addressFor: (peer: SipPeer) => HostPort
  readonly onRequest: (transaction: ServerTransaction, from: SipPeer) => void
  /** Whose trunk an address is of. */
  readonly ownerOf: (host: string) => string
  /** An ACK of an answer with 2xx. */
  readonly onAck: (request: SipRequest) => void
}

/** Begins every branch of RFC 3261. */
const branchCookie = 'z9hG4bK'
/** Requests of peers that are answered at the same time; more are dropped, and peers send them again. */
const maxServerTransactions = 5_000

export function createTransactions(deps: TransactionsDeps): Transactions {
  const clients = new Map<string, ClientTransaction>()
  const servers = new Map<string, ServerTransactionControl>()
  const room = createRoom(maxServerTransactions)

  const newBranch = () => branchCookie + randomHex(deps.random, 8)

  const start = (draft: RequestDraft, to: SipPeer, branch: string, events: ClientEvents): ClientTransaction => {
    const key = `${branch} ${draft.method}`
    const transaction = createClientTransaction(draft, events, {
      clock: deps.clock,
      send: (message) => deps.send(message, to),
      via: viaOf(to, branch, deps),
      branch,
      isReliable: to.transport !== 'udp',
      startCancel: (cancel) => start(cancel, to, branch, { onResponse: () => {}, onTimeout: () => {} }),
      onEnd: () => clients.delete(key),
    })
    clients.set(key, transaction)
    return transaction
  }

  const receiveRequest = (request: SipRequest, from: SipPeer) => {
    const key = serverKey(request, request.method === 'ACK' ? 'INVITE' : request.method)
    const known = servers.get(key)
    if (known !== undefined) {
      if (request.method === 'ACK') known.acknowledge()
      else known.repeatAnswer()
      return
    }
    if (request.method === 'ACK') {
      acknowledgeSuccess(servers.values(), request)
      deps.onAck(request)
      return
    }
    const leave = room.enter(deps.ownerOf(from.host))
    if (leave === null) return
    const transaction = createServerTransaction(request, {
      clock: deps.clock,
      send: (message) => deps.send(message, answerAddress(request, from)),
      isReliable: from.transport !== 'udp',
      toTag: randomHex(deps.random, 6),
      onEnd: () => servers.delete(key) && leave(),
    })
    servers.set(key, transaction)
    if (request.method === 'CANCEL') cancel(transaction)
    else deps.onRequest(transaction, from)
  }

  const cancel = (transaction: ServerTransaction) => {
    const invite = servers.get(serverKey(transaction.request, 'INVITE'))
    transaction.respond({ status: invite === undefined ? 481 : 200 })
    if (invite !== undefined && !invite.isAnswered) invite.cancel()
  }

  return {
    receive(message, from) {
      if (message.kind === 'request') receiveRequest(message, from)
      else clients.get(`${message.via[0].params.get('branch')} ${message.cseq.method}`)?.receive(message, from)
    },
    request: (draft, to, events) => start(draft, to, newBranch(), events),
    acknowledge: (draft, to) => deps.send(writeRequest(draft, viaOf(to, newBranch(), deps)), to),
    get size() {
      return clients.size + servers.size
    },
  }
}

/** The branch of its ACK is new, so the INVITE is found by what else is equal. */
function acknowledgeSuccess(transactions: Iterable<ServerTransactionControl>, ack: SipRequest): void {
  for (const transaction of transactions) {
    const { request, isAnswered, toTag } = transaction
    if (request.method !== 'INVITE' || !isAnswered || request.callId !== ack.callId) continue
    const tag = request.to.params.get('tag') ?? toTag
    if (request.cseq.number === ack.cseq.number && ack.to.params.get('tag') === tag) transaction.acknowledge()
  }
}

function viaOf(to: SipPeer, branch: string, { addressFor }: Pick<TransactionsDeps, 'addressFor'>): string {
  const { host, port } = addressFor(to)
  return `SIP/2.0/${to.transport.toUpperCase()} ${writeHostPort(host, port)};branch=${branch};rport`
}

function serverKey({ via, callId, cseq, from }: SipRequest, method: string): string {
  const [newest] = via
  const branch = newest.params.get('branch') ?? ''
  // Peers of RFC 2543 have no branches that differ.
  const id = branch.startsWith(branchCookie) ? branch : `${callId} ${cseq.number} ${from.params.get('tag') ?? ''}`
  return `${id} ${newest.host}:${newest.port ?? ''} ${method}`
}

/** Answers go back to where the request came from (RFC 3581), whatever address the Via claims. */
function answerAddress(request: SipRequest, from: SipPeer): SipPeer {
  const [newest] = request.via
  if (from.transport !== 'udp' || newest.params.has('rport')) return from
  return { ...from, port: newest.port ?? 5060 }
}
