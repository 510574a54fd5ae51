import type { IncomingMessage, RequestListener } from 'node:http'
import { maxInferenceBodyBytes } from '@ratchet/contracts/calls-model'
import type { HeldBody } from '@ratchet/service-kit/http/body-budget'
import { asServiceError, ServiceError, toEnvelope } from '@ratchet/service-kit/http/service-error'
import { createEventMessages, type EventMessages, type TurnEnd } from './event-messages.ts'
import { readClientEvent, type Steering, type Turn, turnBody, turnItems } from './read-turn.ts'
import type { SocketPeer } from './socket-peer.ts'
import { TurnAnswer } from './turn-answer.ts'
import { turnRequest } from './turn-request.ts'
import type { UnstoredResponses } from './unstored-responses.ts'

/** As OpenAI's. */
export const socketLimits = { running: 16, lanes: 32, waiting: 32, waitingBytes: maxInferenceBodyBytes } as const

export interface ResponsesSocketOptions {
  readonly peer: SocketPeer
  /** The request that opened the WebSocket. */
  readonly opening: IncomingMessage
  /** The public listener, which takes every turn as a request of its own. */
  readonly listener: RequestListener
  readonly unstored: UnstoredResponses
  /** Begins to hold a body of the workspace. */
  readonly holdBody: () => HeldBody
  readonly newId: () => string
}

interface WaitingTurn {
  readonly turn: Turn
  readonly held: HeldBody
}

interface Lane {
  readonly waiting: WaitingTurn[]
  isRunning: boolean
}

/** What of a turn is needed until its answer ends. */
type TurnNames = Pick<Turn, 'streamId' | 'previousId' | 'traceparent'>

interface Starting {
  readonly turn: TurnNames
  readonly body: Buffer
  readonly memory: TurnMemory
  readonly messages: EventMessages
}

/** Memory of a running turn: its body until it is sent, and its items while its response may be kept. */
interface TurnMemory {
  readonly body: HeldBody
  readonly items: HeldBody
}

/** Registered close codes of WebSockets. */
const closeCodes = { normal: 1000, goingAway: 1001, policy: 1008, failed: 1011, tryAgainLater: 1013 } as const

const codeOfEnd = {
  age: closeCodes.normal,
  shutdown: closeCodes.goingAway,
  /** Too much of what the client sent was refused. */
  flood: closeCodes.policy,
} as const

/**
 * One WebSocket at `/v1/responses`. Each `response.create` takes the path of an HTTP request that is streamed, with the key, the
 * switches and the address of the opening request; each event of its answer is one message. Turns of a lane run one after
 * the other.
 */
export class ResponsesSocket {
  readonly #options: ResponsesSocketOptions
  readonly #remoteAddress: string
  readonly #lanes = new Map<string | null, Lane>()
  readonly #answers = new Map<TurnAnswer, TurnMemory>()
  #retiring: { readonly code: number } | null = null
  #isOver = false

  constructor(options: ResponsesSocketOptions) {
    this.#options = options
    this.#remoteAddress = options.opening.socket.remoteAddress ?? ''
  }

  /** A message of the client; null for one that is not text. */
  receive(message: Buffer | null): void {
    if (this.#isOver) return
    let lane: string | null = null
    try {
      if (message === null)
        throw new ServiceError('invalid_request', 'Events must be sent as text.', { param: 'event' })
      const event = readClientEvent(message)
      if (event.kind === 'steering') {
        this.#refuseSteering(event.steering)
        this.#options.peer.refused()
        return
      }
      lane = event.turn.streamId
      if (this.#retiring !== null) throw limitReached()
      this.#enqueue(event.turn)
    } catch (thrown) {
      this.#sendError(lane, thrown)
      this.#options.peer.refused()
    }
  }

  /** The client reads again. */
  drained(): void {
    for (const answer of this.#answers.keys()) answer.drained()
  }

  /** There is no memory for the rest of a message, nor a way to pass over it. What was taken before is still answered. */
  refuseMessage(): void {
    this.#retiring ??= { code: closeCodes.tryAgainLater }
    this.#sendError(null, noRoom())
    this.#closeWhenRetired()
  }

  /** Takes no further turns, and closes the connection when those that it took have ended. */
  retire(reason: keyof typeof codeOfEnd): void {
    this.#retiring ??= { code: codeOfEnd[reason] }
    if (reason === 'age') this.#sendError(null, limitReached())
    this.#closeWhenRetired()
  }

  /** The connection is lost: every running turn is one whose client disconnected. */
  lost(): void {
    this.#isOver = true
    for (const [answer, memory] of this.#answers) {
      answer.leave()
      leave(memory)
    }
    for (const { held } of this.#waiting()) held.leave()
    this.#lanes.clear()
    this.#options.unstored.clear()
  }

  #enqueue(turn: Turn): void {
    const { streamId } = turn
    const known = this.#lanes.get(streamId)
    const named = [...this.#lanes.keys()].filter((name) => name !== null)
    if (known === undefined && streamId !== null && named.length >= socketLimits.lanes) {
      throw tooMany(`A WebSocket has at most ${socketLimits.lanes} lanes at a time.`)
    }
    const waiting = this.#waiting()
    const bytes = waiting.reduce((sum, each) => sum + each.turn.bytes.length, turn.bytes.length)
    if (waiting.length >= socketLimits.waiting || (waiting.length > 0 && bytes > socketLimits.waitingBytes)) {
      throw tooMany('Too many requests wait on this WebSocket.')
    }
    const held = this.#options.holdBody()
    held.add(turn.bytes.length)
    const lane = known ?? { waiting: [], isRunning: false }
    this.#lanes.set(streamId, lane)
    lane.waiting.push({ turn, held })
    this.#startWaiting()
  }

  #waiting(): WaitingTurn[] {
    return [...this.#lanes.values()].flatMap(({ waiting }) => waiting)
  }

  /** Starts what may run. Nothing waits afterwards in a lane that does not run while others may. */
  #startWaiting(): void {
    while (!this.#isOver && this.#answers.size < socketLimits.running) {
      const lane = [...this.#lanes.values()].find(({ isRunning, waiting }) => !isRunning && waiting.length > 0)
      const next = lane?.waiting.shift()
      if (lane === undefined || next === undefined) break
      next.held.leave()
      this.#startOrRefuse(lane, next.turn)
    }
    for (const [name, { isRunning, waiting }] of this.#lanes) {
      if (!isRunning && waiting.length === 0) this.#lanes.delete(name)
    }
    this.#closeWhenRetired()
  }

  #startOrRefuse(lane: Lane, turn: Turn): void {
    const { unstored } = this.#options
    const earlier = turn.previousId === null ? null : unstored.find(turn.previousId)
    const items = turnItems(turn, earlier)
    const body = turnBody(turn, earlier, items)
    const memory = { body: this.#options.holdBody(), items: this.#options.holdBody() }
    try {
      if (body.length > maxInferenceBodyBytes) throw tooLarge()
      memory.body.add(body.length)
    } catch (refusal) {
      this.#remember(turn, { unstored: null, failed: true, saidSo: true })
      this.#sendError(turn.streamId, refusal)
      return
    }
    const names = withoutBytes(turn)
    const messages = createEventMessages({
      turn: names,
      earlier: earlier === null ? null : { storedId: earlier.storedId },
      items: memory.items.mayAdd(items.length) ? items : null,
      onItemsLeft: () => memory.items.leave(),
    })
    this.#start(lane, { turn: names, body, memory, messages })
  }

  #start(lane: Lane, { turn, body, memory, messages }: Starting): void {
    const { listener, opening, peer } = this.#options
    const { traceparent } = turn
    const onCut = () => this.#cut()
    const request = turnRequest({ opening, remoteAddress: this.#remoteAddress, body, traceparent, onCut })
    request.once('end', () => memory.body.leave())
    const answer: TurnAnswer = new TurnAnswer(request, {
      messages,
      send: (message) => peer.send(message),
      onEnd: (status) => {
        this.#answers.delete(answer)
        leave(memory)
        lane.isRunning = false
        this.#remember(turn, messages.end)
        if (status === 401) this.#close(closeCodes.policy)
        this.#startWaiting()
      },
      onCut,
    })
    lane.isRunning = true
    this.#answers.set(answer, memory)
    listener(request, answer)
  }

  #remember(turn: TurnNames, { unstored: response, failed }: TurnEnd): void {
    const { unstored } = this.#options
    // As with OpenAI: a turn that failed must be started again with everything.
    if (failed && turn.previousId !== null) unstored.forget(turn.previousId)
    if (response !== null && !this.#isOver) unstored.keep(turn.streamId, response)
  }

  #refuseSteering({ previousId, input }: Steering): void {
    const error = { code: 'steering_not_supported', message: 'Responses cannot be steered here.' }
    const head = { type: 'response.steer.failed', sequence_number: 0, error }
    const steer = `{"previous_response_id":${JSON.stringify(previousId ?? '')},"input":${input ?? 'null'}}`
    this.#options.peer.send(Buffer.from(`${JSON.stringify(head).slice(0, -1)},"steer":${steer}}`))
  }

  #sendError(streamId: string | null, thrown: unknown): void {
    const failure = asServiceError(thrown)
    const id = this.#options.newId()
    const { error } = toEnvelope(failure, id)
    const lane = streamId === null ? {} : { stream_id: streamId }
    const headers = { 'x-request-id': id, ...failure.headers }
    this.#options.peer.send(
      Buffer.from(JSON.stringify({ type: 'error', ...lane, status: failure.status, error, headers })),
    )
  }

  #closeWhenRetired(): void {
    if (this.#isOver || this.#retiring === null) return
    const isIdle = this.#answers.size === 0 && this.#waiting().length === 0
    if (isIdle) this.#close(this.#retiring.code)
  }

  #close(code: number): void {
    this.#isOver = true
    this.#options.peer.close(code)
  }

  /** The client learns from the close code that the answers in progress are incomplete. */
  #cut(): void {
    if (this.#isOver) return
    this.#close(closeCodes.failed)
    this.lost()
  }
}

function leave({ body, items }: TurnMemory): void {
  body.leave()
  items.leave()
}

/** The message itself is not kept while it is answered. */
function withoutBytes({ streamId, previousId, traceparent }: Turn): TurnNames {
  return { streamId, previousId, traceparent }
}

function noRoom(): ServiceError {
  return new ServiceError('service_unavailable', 'Too many large messages arrive.', { retryAfterSeconds: 1 })
}

function limitReached(): ServiceError {
  const message = 'This WebSocket takes no further requests. Open another one, and send everything there.'
  return new ServiceError('websocket_connection_limit_reached', message)
}

function tooMany(message: string): ServiceError {
  return new ServiceError('websocket_stream_limit_reached', message)
}

function tooLarge(): ServiceError {
  const message = `The request and the responses before it are larger than ${maxInferenceBodyBytes} bytes.`
  return new ServiceError('request_too_large', message, { param: 'previous_response_id' })
}
