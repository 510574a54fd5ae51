import type { RequestBody } from './request-body.ts'

/** A request as it is sent to a service. */
export interface ForwardedCall {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Alternating names and values. */
  readonly headers: string[]
  readonly body: RequestBody
}

/** Headers of an answer, names in lower case. */
export type ServiceHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Controls an exchange whose request was sent. */
export interface ExchangeControl {
  /** Ends the exchange. The handler gets the reason as its error. */
  abort(reason: Error): void
  /** The client reads nothing: the service must wait. */
  pause(): void
  resume(): void
}

/** Gets an answer as it arrives. undici calls its handlers in the same way. */
export interface AnswerHandler {
  /** The request is being sent; until then the service received nothing of it. */
  onRequestStart(control: ExchangeControl): void
  onResponseStart(control: ExchangeControl, status: number, headers: ServiceHeaders): void
  onResponseData(control: ExchangeControl, bytes: Buffer): void
  onResponseEnd(): void
  /** @param control null when the request was not sent */
  onResponseError(control: ExchangeControl | null, error: Error): void
}

/** Sends requests to one service. */
export interface Transport {
  /** @returns false when the transport cannot take the request now; the handler is not called then */
  dispatch(call: ForwardedCall, handler: AnswerHandler): boolean
  /** Closes the connections when running requests have ended. */
  close(): Promise<void>
  /** Loses the connections of running requests: the service learns that this process ends, not that a client left. */
  cut(): Promise<void>
}
