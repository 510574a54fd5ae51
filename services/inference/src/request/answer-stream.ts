import { asServiceError, ServiceError, toEnvelope } from '@ratchet/service-kit/http/service-error'
import { noteCall } from '../outcomes/outcome-notes.ts'
import type { StreamSurface, StreamTracker } from '../surfaces/surface.ts'
import type { ProviderFailure, ProviderListener, ProviderReply } from '../wire/provider.ts'
import type { StreamFacts } from '../wire/stream-converter.ts'
import { type AnswerDeps, answerContext, elapsedMs, unixSeconds } from './answer-deps.ts'
import { callModels, type ModelCall } from './call-models.ts'
import { chargePart, chargeStream, settleBroken } from './charge-stream.ts'
import { errorOfFailure } from './failure-error.ts'
import { graceMs, Stay } from './left-stream.ts'
import { createPacedWriter, type PacedWriter } from './paced-writer.ts'
import { brokenStreamNano, guessCostNano, type SeenAnswer, seenSpent } from './price-answer.ts'
import { streamHead } from './replay-answer.ts'
import type { FundedRequest } from './request-records.ts'
import { nameFailedModel, servedHeaders } from './served-headers.ts'
import { type ReadPart, StreamReading } from './stream-reading.ts'

/**
 * Answers a streamed request. The provider's frames are passed through unchanged, except that the frames which end the
 * answer are held back until the charge is committed.
 *
 * @throws ServiceError when no model sent a first byte; the hold is released. A later failure ends the stream with an
 *   error frame and a broken connection, and costs nothing but the searches that the provider had run for it. When the
 *   memory share of its workspace was used up, or what the model wrote cannot be used, it costs what was generated.
 */
export function answerStream(deps: AnswerDeps, funded: FundedRequest): Promise<void> {
  const { stream, dialect } = funded.surface
  if (stream === null) throw new Error(`${dialect} does not stream`)
  return new Promise((resolve, reject) => {
    new StreamAnswer({ deps, funded, stream, resolve, reject }).start()
  })
}

interface StreamOptions {
  readonly deps: AnswerDeps
  readonly funded: FundedRequest
  readonly stream: StreamSurface
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

class StreamAnswer implements ProviderListener {
  readonly #deps: AnswerDeps
  readonly #funded: FundedRequest
  readonly #reading: StreamReading
  readonly #resolve: () => void
  readonly #reject: (error: Error) => void
  readonly #writer: PacedWriter
  readonly #leave: () => void
  #call: ModelCall | undefined
  #startedOver = false
  #firstByteAt: Date | undefined
  #clientDisconnected = false
  readonly #stay: Stay
  #ended = false

  constructor({ deps, funded, stream, resolve, reject }: StreamOptions) {
    this.#deps = deps
    this.#funded = funded
    this.#reading = new StreamReading({
      stream,
      context: () => answerContext(deps, this.#servedRequest(), funded.facts),
      recordsContent: funded.completionHook !== null,
      now: deps.now,
    })
    const { workspaceId } = funded.identity
    this.#stay = new Stay({ abandoned: deps.abandoned, workspaceId, stop: () => this.#stopAndCharge() })
    this.#resolve = resolve
    this.#reject = reject
    this.#writer = createPacedWriter({
      response: funded.httpResponse,
      slowReaderMs: deps.slowReaderMs,
      room: deps.answers.enter(funded.identity.workspaceId),
      onFull: () => this.#call?.pause(),
      onDrained: () => this.#call?.resume(),
      onStalled: () => this.#onDisconnect(),
    })
    this.#leave = deps.active.enter({
      checkpoint: () => funded.billing.checkpoint(funded.isKeyed ? 0n : guessCostNano(this.#seen())),
      expire: () => this.#break(new ServiceError('service_unavailable', 'The gateway is shutting down.')),
    })
  }

  start(): void {
    this.#funded.httpResponse.once('close', () => this.#onDisconnect())
    const { onRetry, onFallback } = this.#deps
    this.#call = callModels(
      {
        ...this.#deps,
        candidates: this.#funded.candidates,
        onRetry: (...retried) => {
          this.#reading.startOver()
          onRetry(...retried)
        },
        onFallback: (...replaced) => {
          this.#reading.startOver()
          onFallback(...replaced)
        },
      },
      this,
    )
  }

  onReply(_reply: ProviderReply): void {
    this.onFailure({ kind: 'broken', message: 'The provider did not stream its answer.', retryAfterMs: null })
  }

  onStreamStart(facts: StreamFacts | null): void {
    this.#reading.start(facts)
    // The client disconnected before: now its prompt is owed, and only the usage may still be missing.
    if (this.#stay.isContinuing) this.#continueOrCharge()
  }

  onStreamData(chunk: Buffer): void {
    if (!this.#ended) this.#pass(this.#reading.push(chunk))
  }

  onStreamEnd(): void {
    if (this.#ended) return
    const rest = this.#reading.end()
    if (rest !== null) this.#pass(rest)
    if (this.#ended || this.#startedOver) return
    const { tracker } = this.#reading
    if (tracker?.finished === true) this.#complete(tracker)
    else this.onFailure({ kind: 'broken', message: 'The provider broke off its answer.', retryAfterMs: null })
  }

  onFailure(failure: ProviderFailure): void {
    const { notes, facts } = this.#funded
    const { spent } = failure
    notes.failure = failure
    const owed = spent === undefined ? null : seenSpent({ request: this.#servedRequest(), facts }, spent)
    this.#fail(errorOfFailure(failure), owed)
  }

  #pass({ frames, failure, isReported }: ReadPart): void {
    this.#startedOver = false
    this.#write(frames)
    const { tracker } = this.#reading
    const { notes, httpResponse } = this.#funded
    if (isReported && !httpResponse.headersSent && !notes.lackedMemory) this.#startOver()
    else if (failure !== null) this.#fail(failure)
    else if (tracker?.done === true) this.#complete(tracker)
    else if (this.#stay.isContinuing && this.#knowsCharge()) this.#stopAndCharge()
  }

  /** Nothing was sent to the client and the first frame reports an error, so the call can be retried as if it had failed. */
  #startOver(): void {
    this.#startedOver = true
    const { usage, hiddenTokens } = this.#seen()
    const spent = this.#reading.isUnusable ? { spent: { usage, hiddenTokens } } : {}
    this.#reading.startOver()
    const message = 'The provider reported an error.'
    this.#call?.startOver({ kind: 'unavailable', message, retryAfterMs: null, ...spent })
  }

  #write(frames: readonly Buffer[]): void {
    const [first] = frames
    if (first === undefined || this.#clientDisconnected) return
    if (!this.#funded.httpResponse.headersSent) this.#writeHead()
    this.#writer.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  #writeHead(): void {
    this.#firstByteAt = this.#deps.now()
    this.#funded.httpResponse.writeHead(200, {
      ...streamHead,
      ...servedHeaders(this.#deps.brand, this.#funded, this.#servedRequest()),
    })
  }

  /** The answer is complete: it is charged, then its last frames are sent. */
  #complete(tracker: StreamTracker): void {
    if (!this.#end()) return
    this.#call?.detach({ usage: tracker.usage, read: () => tracker.assemble() })
    this.#finishAsync(this.#chargeAndClose(tracker, elapsedMs(this.#deps, this.#funded)))
  }

  async #chargeAndClose(tracker: StreamTracker, latencyMs: number): Promise<void> {
    const { httpResponse, conversationId } = this.#funded
    const charged = await chargeStream(this.#deps, this.#funded, {
      tracker,
      seen: this.#seen(),
      servedRequest: this.#servedRequest(),
      firstByteAt: this.#firstByteAt,
      latencyMs,
    })
    if (this.#clientDisconnected) return this.#resolve()
    this.#funded.notes.ended = 'answered'
    if (!httpResponse.headersSent) this.#writeHead()
    httpResponse.end(tracker.tail({ ...charged, conversationId, completedAt: unixSeconds(this.#deps.now()) }))
    this.#resolve()
  }

  /** @param owed for an answer that cannot be used; null when it is to be found out */
  #fail(error: ServiceError, owed: SeenAnswer | null = null): void {
    const { arm, isKeyed, notes, httpResponse } = this.#funded
    // A client that disconnected says nothing about the arm.
    if (!this.#ended && (isKeyed || !this.#clientDisconnected)) arm?.failed()
    // Else clients would get long answers for nothing: by filling the share of their workspace, or by what they ask for.
    const owesDelivered = (notes.lackedMemory && httpResponse.headersSent) || this.#reading.isUnusable
    const delivered = owesDelivered ? this.#reading.seen({ prompt: true, silence: true }) : null
    this.#break(error, owed ?? delivered ?? brokenStreamNano(this.#seen()))
  }

  /**
   * Ends an answer that cannot be completed. Its client gets an error. When that is not its fault, it is not charged
   * for tokens. A client that had disconnected before pays what it caused.
   */
  #break(error: ServiceError, owed: SeenAnswer | bigint = 0n): void {
    if (this.#stay.isContinuing && this.#reading.isAccepted) this.#stopAndCharge()
    if (!this.#end()) return
    this.#call?.abort()
    this.#funded.notes.error = error
    this.#finishAsync(settleBroken(this.#deps, this.#funded, owed).then(() => this.#report(error)))
  }

  #report(error: ServiceError): void {
    const { surface, requestId, httpResponse } = this.#funded
    if (!httpResponse.headersSent) {
      if (this.#call !== undefined) nameFailedModel(this.#deps.brand, this.#funded, this.#call.servedRequest)
      this.#reject(error)
      return
    }
    if (!this.#clientDisconnected)
      httpResponse.write(surface.errorFrame(toEnvelope(error, requestId)), () => httpResponse.destroy())
    this.#resolve()
  }

  /**
   * Stops the provider and charges what it generated until now. There are two exceptions: a request with an idempotency
   * key is answered to its end for a retry, and the usage is awaited for a time when only it states what must be paid.
   */
  #onDisconnect(): void {
    if (this.#ended || this.#clientDisconnected) return
    this.#clientDisconnected = true
    this.#funded.notes.hasLeft = true
    this.#writer.stop()
    this.#funded.httpResponse.destroy()
    this.#call?.resume()
    if (this.#funded.isKeyed) return
    this.#call?.finishAttempt()
    if (this.#ended) return
    // Its client did not leave, and will try again: nothing is owed for a call that was not accepted.
    if (this.#funded.httpResponse.isPeerLost === true && !this.#reading.isAccepted) this.#stopAndCharge()
    else this.#continueOrCharge()
  }

  #continueOrCharge(): void {
    if (!this.#stay.extend(this.#reading.state)) this.#stopAndCharge()
  }

  /** True when reading on cannot change the charge: nothing is awaited any more, or all that was held is used. */
  #knowsCharge(): boolean {
    return graceMs(this.#reading.state) === 0 || guessCostNano(this.#seen()) >= this.#funded.billing.holdNano
  }

  #stopAndCharge(): void {
    if (!this.#end()) return
    this.#call?.abort()
    this.#finishAsync(this.#chargePartialAnswer())
  }

  async #chargePartialAnswer(): Promise<void> {
    await chargePart(this.#deps, this.#funded, { seen: this.#seen(), owesHold: this.#stay.debt === 'the hold' })
    this.#resolve()
  }

  /** Runs the last steps. If they fail, the client gets an error frame, or the caller the error when none can be sent. */
  #finishAsync(ending: Promise<void>): void {
    const over = ending.finally(() => this.#stay.end())
    over.catch((cause: unknown) => {
      const error = asServiceError(cause)
      const { surface, requestId, httpResponse } = this.#funded
      if (!httpResponse.headersSent || this.#clientDisconnected) return this.#reject(error)
      httpResponse.write(surface.errorFrame(toEnvelope(error, requestId)), () => {
        httpResponse.destroy()
        this.#reject(error)
      })
    })
  }

  #end(): boolean {
    if (this.#ended) return false
    this.#ended = true
    if (this.#call !== undefined) noteCall(this.#funded.notes, this.#call)
    this.#leave()
    this.#writer.stop()
    return true
  }

  #servedRequest() {
    return this.#call?.servedRequest ?? this.#funded.candidates[0].request
  }

  /** A client that leaves pays its prompt once the provider accepted the request, and what was reasoned in silence. */
  #seen(): SeenAnswer {
    const prompt = this.#clientDisconnected && (this.#reading.isAccepted || this.#stay.debt === 'the prompt')
    return this.#reading.seen({ prompt, silence: this.#clientDisconnected })
  }
}
