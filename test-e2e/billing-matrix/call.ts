export interface Call {
  readonly url: string
  readonly apiKey: string
  readonly body: Record<string, unknown>
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The received part of the answer. */
  readonly raw: string
  /** True when the connection ended before the answer was complete. */
  readonly broken: boolean
}
