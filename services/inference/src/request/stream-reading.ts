import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader, type SseReader } from '@ratchet/service-kit/sse/read-events'
import { TextCollector } from '../pricing/generated-text.ts'
import type { AnswerContext, FrameAction, StreamSurface, StreamTracker } from '../surfaces/surface.ts'
import type { AnswerLimits } from '../wire/answer-limits.ts'
import type { StreamFacts } from '../wire/stream-converter.ts'
import { noHostedCalls, type Usage } from '../wire/usage.ts'
import type { LeftStream } from './left-stream.ts'
import { mayReasonInvisibly } from './may-reason-invisibly.ts'
import type { SeenAnswer } from './price-answer.ts'
import { Silence } from './silence.ts'

export interface StreamReadingOptions {
  readonly stream: StreamSurface
  /** The request to the model that is answering; known once bytes have arrived. */
  readonly context: () => AnswerContext
  /** False when no completion hook needs the content of the answer. */
  readonly recordsContent: boolean
  readonly now: () => Date
}

/** What a client owes in addition to what it received. */
export interface Owed {
  /** The prompt, even if nothing was generated. */
  readonly prompt: boolean
  /** What a model that reasons invisibly generated in silence, and calls of the provider's tools that have not ended. */
  readonly silence: boolean
}

/** The part of a stream that was just read. */
export interface ReadPart {
  /** For the client, in order. */
  readonly frames: readonly Buffer[]
  /** Why the stream cannot continue; null while it can. */
  readonly failure: ServiceError | null
  /** True when the failure is one that the provider itself reported. */
  readonly isReported: boolean
}

/** Ends a frame that the provider left open, so that the frames of the gateway do not become part of it. */
const blankLine = Buffer.from('\n\n')

/** Reads one streamed answer, within the limits of its request, and knows what must be paid for it. */
export class StreamReading {
  readonly #options: StreamReadingOptions
  #reader: SseReader | undefined
  #tracker: StreamTracker | undefined
  #facts: StreamFacts | null = null
  #isAccepted = false
  #limits: AnswerLimits | undefined
  #frames = 0
  /** Undefined for a model that shows all that it generates. */
  #silence: Silence | undefined

  constructor(options: StreamReadingOptions) {
    this.#options = options
  }

  /** Undefined before the first bytes. */
  get tracker(): StreamTracker | undefined {
    return this.#tracker
  }

  /** True when the provider accepted the request. */
  get isAccepted(): boolean {
    return this.#isAccepted
  }

  /** True when the provider is paid although the answer cannot be used. */
  get isUnusable(): boolean {
    return this.#facts?.isUnusable === true
  }

  get state(): LeftStream {
    const isUsageFinal = this.#tracker?.isUsageFinal === true
    const isFinished = this.#tracker?.finished === true
    const { webSearches, containers } = this.#tracker?.openCalls ?? noHostedCalls
    return {
      isAccepted: this.#isAccepted,
      isUsageFinal,
      isFinished,
      hidesReasoning: this.#hidesReasoning(),
      hasOpenCalls: webSearches + containers > 0,
    }
  }

  start(facts: StreamFacts | null): void {
    this.#isAccepted = true
    this.#facts = facts
    if (!this.#hidesReasoning()) return
    this.#silence = new Silence()
    this.#silence.endAt(this.#nowMs())
  }

  /** Another call begins, from whose predecessor nothing was passed on: what its provider did is not paid. */
  startOver(): void {
    this.#reader = undefined
    this.#tracker = undefined
    this.#facts = null
    this.#isAccepted = false
    this.#frames = 0
    this.#silence = undefined
  }

  push(chunk: Buffer): ReadPart {
    this.#isAccepted = true
    this.#reader ??= this.#begin()
    return this.#read(this.#reader.push(chunk))
  }

  /** The stream has ended: reads a frame that was left open; null when there is none. */
  end(): ReadPart | null {
    const rest = this.#reader?.end() ?? null
    return rest === null ? null : this.#read([{ ...rest, raw: Buffer.concat([rest.raw, blankLine]) }])
  }

  seen(owed: Owed): SeenAnswer {
    const { request, facts } = this.#options.context()
    const tracker = this.#tracker
    const generated = tracker?.generated ?? new TextCollector()
    const shownHidden = generated.hiddenTokens + (this.#facts?.hiddenTokens ?? 0)
    const silent = owed.silence ? (this.#silence?.tokens(this.#nowMs()) ?? 0) : 0
    return {
      request,
      facts,
      usage: largerUsage(tracker?.usage ?? null, this.#facts?.usage ?? null),
      isUsageFinal: tracker?.isUsageFinal === true,
      generated,
      ...(tracker?.hostedCalls === undefined ? {} : { hostedCalls: tracker.hostedCalls }),
      ...(owed.silence && tracker?.openCalls !== undefined ? { openCalls: tracker.openCalls } : {}),
      hiddenTokens: Math.max(shownHidden, silent),
      owesPrompt: owed.prompt,
    }
  }

  #begin(): SseReader {
    const { limits } = this.#options.context().request
    this.#limits = limits
    return createSseReader({ maxEventBytes: limits.maxFrameBytes, reserve: limits.reserve })
  }

  /** Reads frames up to the one that ends the answer. */
  #read(events: readonly SseEvent[]): ReadPart {
    const { stream, context, recordsContent } = this.#options
    this.#tracker ??= stream.createTracker(context(), { recordsContent, reserve: this.#limits?.reserve })
    const { pieces } = this.#tracker.generated
    const frames: Buffer[] = []
    let action: FrameAction = 'skip'
    for (const event of events) {
      action = this.#tracker.accept(event)
      if (action === 'forward') frames.push(event.raw)
      else if (typeof action === 'object') frames.push(action)
      if (action === 'error' || action === 'malformed' || this.#tracker.done) break
    }
    this.#frames += events.length
    if (this.#tracker.generated.pieces > pieces) this.#silence?.endAt(this.#nowMs())
    return { frames, failure: failureOfAction(action) ?? this.#excess(), isReported: action === 'error' }
  }

  #hidesReasoning(): boolean {
    return mayReasonInvisibly(this.#options.context().request)
  }

  #nowMs(): number {
    return this.#options.now().getTime()
  }

  #excess(): ServiceError | null {
    const characters = this.#tracker?.generated.characters ?? 0
    const { maxFrames = 0, maxCharacters = 0 } = this.#limits ?? {}
    return this.#frames > maxFrames || characters > maxCharacters
      ? new ServiceError('upstream_error', 'The provider sent more than the request allows.')
      : null
  }
}

function largerUsage(left: Usage | null, right: Usage | null): Usage | null {
  if (left === null || right === null) return left ?? right
  const tokens = ({ promptTokens, completionTokens }: Usage) => promptTokens + completionTokens
  return tokens(right) > tokens(left) ? right : left
}

function failureOfAction(action: FrameAction): ServiceError | null {
  if (action === 'error') return new ServiceError('upstream_error', 'The provider reported an error.')
  if (action === 'malformed')
    return new ServiceError('upstream_error', 'The provider sent a stream that cannot be read.')
  return null
}
