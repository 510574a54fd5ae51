import type { ServerResponse } from 'node:http'
import type { UpstreamCall } from '@ratchet/http/upstream-call'
import { asServiceError, ServiceError, toEnvelope } from '@ratchet/service-kit/service-error'
import { chargeableUsage } from '../domain/estimate-usage.ts'
import { costNano, type TokenUsage } from '../domain/price.ts'
import { createChatStreamTracker, type Verdict } from '../providers/openai/convert-stream.ts'
import type { ChatListener, ChatReply, ProviderFailure } from '../providers/provider.ts'
import type { SseEvent } from '../sse/read-event.ts'
import { createSseReader } from '../sse/read-events.ts'
import type { AdmittedChat, ExchangeDeps } from './exchange-deps.ts'
import { errorOfFailure } from './failure-error.ts'
import { createPacedWriter, type PacedWriter } from './paced-writer.ts'
import { streamTail } from './stream-tail.ts'

/**
 * Answers a streamed request: the provider's frames pass through as they are, except that usage and
 * `[DONE]` wait until the charge is committed.
 *
 * @throws ServiceError when the provider failed before its first byte; the hold is given back. Later
 *   failures end the stream with an error frame and a broken connection, and cost nothing.
 */
export function answerStream(deps: ExchangeDeps, chat: AdmittedChat, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    new StreamAnswer(deps, chat, { response, resolve, reject }).start()
  })
}

/** Ends a frame that the provider left open, so that ours does not run into it. */
const blankLine = Buffer.from('\n\n')

interface Client {
  readonly response: ServerResponse
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

class StreamAnswer implements ChatListener {
  readonly #deps: ExchangeDeps
  readonly #chat: AdmittedChat
  readonly #client: Client
  readonly #reader = createSseReader({ maxEventBytes: 1_048_576 })
  readonly #tracker = createChatStreamTracker()
  readonly #writer: PacedWriter
  readonly #leave: () => void
  #call: UpstreamCall | undefined
  #ended = false

  constructor(deps: ExchangeDeps, chat: AdmittedChat, client: Client) {
    this.#deps = deps
    this.#chat = chat
    this.#client = client
    this.#writer = createPacedWriter({
      response: client.response,
      slowReaderMs: deps.slowReaderMs,
      onFull: () => this.#call?.pause(),
      onDrained: () => this.#call?.resume(),
      onStalled: () => this.#clientLeft(),
    })
    this.#leave = deps.active.enter({
      checkpoint: () => this.#chat.billing.checkpoint(this.#costSoFar()),
      expire: () => this.#break(new ServiceError('service_unavailable', 'The gateway is shutting down.')),
    })
  }

  start(): void {
    this.#client.response.once('close', () => this.#clientLeft())
    this.#call = this.#deps.callProvider(this.#chat.request, this)
  }

  onReply(_reply: ChatReply): void {
    this.onFailure({ kind: 'broken', message: 'The provider did not stream its answer.', retryAfterMs: null })
  }

  onStreamData(chunk: Buffer): void {
    if (!this.#ended) this.#pass(this.#reader.push(chunk))
  }

  onStreamEnd(): void {
    if (this.#ended) return
    const rest = this.#reader.end()
    if (rest !== null) this.#pass([{ ...rest, raw: Buffer.concat([rest.raw, blankLine]) }])
    if (this.#tracker.finished) this.#complete()
    else this.onFailure({ kind: 'broken', message: 'The provider broke off its answer.', retryAfterMs: null })
  }

  onFailure(failure: ProviderFailure): void {
    this.#break(errorOfFailure(failure))
  }

  /** Lets frames through to the client, up to the one that ends the answer. */
  #pass(events: readonly SseEvent[]): void {
    const frames: Buffer[] = []
    let failure: ServiceError | null = null
    for (const event of events) {
      const verdict = this.#tracker.accept(event)
      if (verdict === 'forward') frames.push(event.raw)
      failure = failureOfVerdict(verdict)
      if (failure !== null || this.#tracker.done) break
    }
    this.#write(frames)
    if (failure !== null) this.#break(failure)
    else if (this.#tracker.done) this.#complete()
  }

  #write(frames: readonly Buffer[]): void {
    const [first] = frames
    if (first === undefined) return
    if (!this.#client.response.headersSent) this.#writeHead()
    this.#writer.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  #writeHead(): void {
    const { headers } = this.#deps.brand
    this.#client.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      [headers.servedModel]: this.#chat.request.model.id,
      [headers.cache]: 'off',
    })
  }

  /** The whole answer came: charge it, then let its last frames go. */
  #complete(): void {
    if (!this.#end()) return
    const { billing, request } = this.#chat
    const usage = this.#usage()
    this.#settled(billing.settle(costNano(request.model, usage)), (chargedNano) => {
      const { response, resolve } = this.#client
      if (!response.headersSent) this.#writeHead()
      const { usageData, id, responseModel } = this.#tracker
      const created = Math.floor(this.#deps.now().getTime() / 1_000)
      const { includeUsage } = request.facts
      response.end(streamTail({ includeUsage, usageData, id, responseModel, usage, chargedNano, created }))
      resolve()
    })
  }

  /** The answer will not be whole, through no fault of the client's: say so, break off, charge nothing. */
  #break(error: ServiceError): void {
    if (!this.#end()) return
    this.#call?.abort()
    const { response, resolve, reject } = this.#client
    this.#settled(this.#chat.billing.release(), () => {
      if (!response.headersSent) return reject(error)
      const frame = `data: ${JSON.stringify(toEnvelope(error, this.#chat.request.requestId))}\n\n`
      response.write(frame, () => response.destroy())
      resolve()
    })
  }

  /** Nobody is listening any more: stop the provider and charge what it produced until now. */
  #clientLeft(): void {
    if (!this.#end()) return
    this.#call?.abort()
    const { response, resolve } = this.#client
    response.destroy()
    this.#settled(this.#chat.billing.settle(this.#costSoFar()), resolve)
  }

  /** Goes on once the money is right. That it cannot be made right is a bug, and ends this exchange alone. */
  #settled(money: Promise<bigint>, goOn: (chargedNano: bigint) => void): void {
    money.then(goOn).catch((cause: unknown) => {
      this.#client.response.destroy()
      this.#client.reject(asServiceError(cause))
    })
  }

  #end(): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#leave()
    this.#writer.stop()
    return true
  }

  #costSoFar(): bigint {
    return costNano(this.#chat.request.model, this.#usage())
  }

  #usage(): TokenUsage {
    const { usage, deltas, characters } = this.#tracker
    const { bytes, facts } = this.#chat.request
    return chargeableUsage(usage, { bodyBytes: bytes.length, messages: facts.messages, deltas, characters })
  }
}

function failureOfVerdict(verdict: Verdict): ServiceError | null {
  if (verdict === 'error') return new ServiceError('upstream_error', 'The provider reported an error.')
  if (verdict === 'malformed') return new ServiceError('upstream_error', 'The provider sent what cannot be read.')
  return null
}
