import type { ServerResponse } from 'node:http'
import { asServiceError, ServiceError, toEnvelope } from '@ratchet/service-kit/service-error'
import type { StreamSurface, StreamTracker, Verdict } from '../surfaces/surface.ts'
import type { ProviderFailure, ProviderListener, ProviderReply } from '../wire/provider.ts'
import type { SseEvent } from '../wire/sse/read-event.ts'
import { createSseReader, type SseReader } from '../wire/sse/read-events.ts'
import { callModels, type ModelCall } from './call-models.ts'
import { type KeptAnswer, keptStream } from './completion-hooks.ts'
import { type AnswerDeps, answerContext, type Exchange, elapsedMs } from './exchange.ts'
import { errorOfFailure } from './failure-error.ts'
import { createPacedWriter, type PacedWriter } from './paced-writer.ts'
import { guessCostNano, type PricedAnswer, priceAnswer, type SeenAnswer } from './price-answer.ts'
import { streamHead } from './replay-answer.ts'
import { servedHeaders } from './served-headers.ts'

/**
 * Answers a streamed request: the provider's frames pass through as they are, except that those which end the answer
 * wait until the charge is committed.
 *
 * @throws ServiceError when the provider failed before its first byte; the hold is given back. Later
 *   failures end the stream with an error frame and a broken connection, and cost nothing.
 */
export function answerStream(deps: AnswerDeps, exchange: Exchange, response: ServerResponse): Promise<void> {
  const { stream } = exchange.surface
  if (stream === null) throw new Error(`${exchange.surface.dialect} does not stream`)
  return new Promise((resolve, reject) => {
    new StreamAnswer({ deps, exchange, stream, client: { response, resolve, reject } }).start()
  })
}

/** Ends a frame that the provider left open, so that ours does not run into it. */
const blankLine = Buffer.from('\n\n')

/** Milliseconds in which a provider that has said everything tells its usage. */
const lastWordsMs = 250

interface Client {
  readonly response: ServerResponse
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface StreamOptions {
  readonly deps: AnswerDeps
  readonly exchange: Exchange
  readonly stream: StreamSurface
  readonly client: Client
}

class StreamAnswer implements ProviderListener {
  readonly #deps: AnswerDeps
  readonly #exchange: Exchange
  readonly #stream: StreamSurface
  readonly #client: Client
  #reader: SseReader
  readonly #writer: PacedWriter
  readonly #leave: () => void
  #tracker: StreamTracker | undefined
  #call: ModelCall | undefined
  #startedOver = false
  #firstByteAt: Date | undefined
  /** The client is. */
  #gone = false
  /** Runs while a client that is gone is still charged for what it was told. */
  #lastWords: NodeJS.Timeout | undefined
  #ended = false

  constructor({ deps, exchange, stream, client }: StreamOptions) {
    this.#deps = deps
    this.#exchange = exchange
    this.#stream = stream
    this.#reader = createSseReader(stream)
    this.#client = client
    this.#writer = createPacedWriter({
      response: client.response,
      slowReaderMs: deps.slowReaderMs,
      onFull: () => this.#call?.pause(),
      onDrained: () => this.#call?.resume(),
      onStalled: () => this.#clientLeft(),
    })
    this.#leave = deps.active.enter({
      checkpoint: () => this.#exchange.billing.checkpoint(exchange.isKeyed ? 0n : guessCostNano(this.#seen())),
      expire: () => this.#break(new ServiceError('service_unavailable', 'The gateway is shutting down.')),
    })
  }

  start(): void {
    this.#client.response.once('close', () => this.#clientLeft())
    this.#call = callModels({ ...this.#deps, candidates: this.#exchange.candidates }, this)
  }

  onReply(_reply: ProviderReply): void {
    this.onFailure({ kind: 'broken', message: 'The provider did not stream its answer.', retryAfterMs: null })
  }

  onStreamData(chunk: Buffer): void {
    if (!this.#ended) this.#pass(this.#reader.push(chunk))
  }

  onStreamEnd(): void {
    if (this.#ended) return
    const rest = this.#reader.end()
    if (rest !== null) this.#pass([{ ...rest, raw: Buffer.concat([rest.raw, blankLine]) }])
    if (this.#ended || this.#startedOver) return
    if (this.#tracker?.finished === true) this.#complete(this.#tracker)
    else this.onFailure({ kind: 'broken', message: 'The provider broke off its answer.', retryAfterMs: null })
  }

  onFailure(failure: ProviderFailure): void {
    this.#fail(errorOfFailure(failure))
  }

  /** Lets frames through to the client, up to the one that ends the answer. */
  #pass(events: readonly SseEvent[]): void {
    this.#startedOver = false
    this.#tracker ??= this.#startTracking()
    const frames: Buffer[] = []
    let verdict: Verdict = 'skip'
    for (const event of events) {
      verdict = this.#tracker.accept(event)
      if (verdict === 'forward') frames.push(event.raw)
      else if (typeof verdict === 'object') frames.push(verdict)
      if (verdict === 'error' || verdict === 'malformed' || this.#tracker.done) break
    }
    this.#write(frames)
    const failure = failureOfVerdict(verdict)
    if (verdict === 'error' && !this.#client.response.headersSent) this.#startOver()
    else if (failure !== null) this.#fail(failure)
    else if (this.#tracker.done) this.#complete(this.#tracker)
    else if (this.#lastWords !== undefined && this.#tracker.usage !== null) this.#stopAndCharge()
  }

  /** The client has seen nothing, and all that the provider said is that it failed: another try is as good as any. */
  #startOver(): void {
    this.#startedOver = true
    this.#tracker = undefined
    this.#reader = createSseReader(this.#stream)
    this.#call?.startOver({ kind: 'unavailable', message: 'The provider reported an error.', retryAfterMs: null })
  }

  /** Once bytes come, it is known who answers. */
  #startTracking(): StreamTracker {
    return this.#stream.createTracker(this.#context())
  }

  #write(frames: readonly Buffer[]): void {
    const [first] = frames
    if (first === undefined || this.#gone) return
    if (!this.#client.response.headersSent) this.#writeHead()
    this.#writer.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  #writeHead(): void {
    this.#firstByteAt = this.#deps.now()
    this.#client.response.writeHead(200, {
      ...streamHead,
      ...servedHeaders(this.#deps.brand, this.#exchange, { served: this.#served() }),
    })
  }

  /** The whole answer came: charge it, then let its last frames go. */
  #complete(tracker: StreamTracker): void {
    if (!this.#end()) return
    this.#call?.detach({ usage: tracker.usage, read: () => tracker.assemble() })
    this.#goOn(this.#chargeAndClose(tracker, elapsedMs(this.#deps, this.#exchange)))
  }

  async #chargeAndClose(tracker: StreamTracker, latencyMs: number): Promise<void> {
    const { response, resolve } = this.#client
    const priced = await priceAnswer(this.#deps.countTokens, this.#seen())
    const kept = this.#kept(tracker, priced)
    const { completionHook, billing, arm } = this.#exchange
    if (kept !== null) await completionHook?.beforeCharge(kept)
    const chargedNano = await billing.settle(priced.costNano)
    arm?.answered(this.#served(), { costNano: chargedNano, latencyMs })
    if (kept !== null) await completionHook?.afterCharge(kept)
    if (this.#gone) return resolve()
    if (!response.headersSent) this.#writeHead()
    response.end(tracker.tail({ ...priced, chargedNano }))
    resolve()
  }

  /** Putting an answer together costs something, so it is done for somebody only. */
  #kept(tracker: StreamTracker, priced: PricedAnswer): KeptAnswer | null {
    const { surface, completionHook, billing } = this.#exchange
    if (completionHook === null) return null
    const kept = keptStream(tracker.assemble(), {
      surface,
      priced,
      context: this.#context(),
      holdNano: billing.holdNano,
    })
    if (kept === null) completionHook.abandoned(priced.usage.promptTokens + priced.usage.completionTokens)
    return kept === null || this.#firstByteAt === undefined ? kept : { ...kept, firstByteAt: this.#firstByteAt }
  }

  /** The provider failed. */
  #fail(error: ServiceError): void {
    if (!this.#ended) this.#exchange.arm?.failed()
    this.#break(error)
  }

  /** The answer will not be whole, through no fault of the client's: say so, break off, charge nothing. */
  #break(error: ServiceError): void {
    if (!this.#end()) return
    this.#call?.abort()
    this.#exchange.completionHook?.abandoned(0)
    this.#goOn(this.#releaseAndTell(error))
  }

  async #releaseAndTell(error: ServiceError): Promise<void> {
    const { response, resolve, reject } = this.#client
    const { surface, billing, requestId } = this.#exchange
    await billing.release()
    if (!response.headersSent) return reject(error)
    if (this.#gone) return resolve()
    response.write(surface.errorFrame(toEnvelope(error, requestId)), () => response.destroy())
    resolve()
  }

  /**
   * Nobody is listening any more. The provider is stopped and what it produced until now is charged; but whoever asks
   * again under the same key wants the whole answer, and an answer that is whole but for its usage has it in a moment.
   */
  #clientLeft(): void {
    if (this.#ended || this.#gone) return
    this.#gone = true
    this.#writer.stop()
    this.#client.response.destroy()
    this.#call?.resume()
    if (this.#exchange.isKeyed) return
    const isWhole = this.#tracker?.finished === true && this.#tracker.usage === null
    if (isWhole) this.#lastWords = setTimeout(() => this.#stopAndCharge(), lastWordsMs)
    else this.#stopAndCharge()
  }

  #stopAndCharge(): void {
    if (!this.#end()) return
    this.#call?.abort()
    this.#goOn(this.#chargeWhatCame())
  }

  async #chargeWhatCame(): Promise<void> {
    const { costNano, usage } = await priceAnswer(this.#deps.countTokens, this.#seen())
    this.#exchange.completionHook?.abandoned(usage.promptTokens + usage.completionTokens)
    await this.#exchange.billing.settle(costNano)
    this.#client.resolve()
  }

  /** What cannot be ended well ends this exchange alone: the client is told if it can be. */
  #goOn(ending: Promise<void>): void {
    ending.catch((cause: unknown) => {
      const { response, reject } = this.#client
      const error = asServiceError(cause)
      const { surface, requestId } = this.#exchange
      if (!response.headersSent || this.#gone) return reject(error)
      response.write(surface.errorFrame(toEnvelope(error, requestId)), () => {
        response.destroy()
        reject(error)
      })
    })
  }

  #end(): boolean {
    if (this.#ended) return false
    this.#ended = true
    clearTimeout(this.#lastWords)
    this.#leave()
    this.#writer.stop()
    return true
  }

  #context() {
    return answerContext(this.#deps, this.#served(), this.#exchange.facts)
  }

  #served() {
    return this.#call?.served ?? this.#exchange.candidates[0].request
  }

  #seen(): SeenAnswer {
    const { usage = null, pieces = [] } = this.#tracker ?? {}
    return { request: this.#served(), facts: this.#exchange.facts, usage, pieces }
  }
}

function failureOfVerdict(verdict: Verdict): ServiceError | null {
  if (verdict === 'error') return new ServiceError('upstream_error', 'The provider reported an error.')
  if (verdict === 'malformed') return new ServiceError('upstream_error', 'The provider sent what cannot be read.')
  return null
}
