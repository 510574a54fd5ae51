/** A message of a request or an answer; only `role` is guaranteed. */
export type ExchangeMessage = { readonly role: string } & Readonly<Record<string, unknown>>

/** The parts of an exchange that a judge sees. */
export interface JudgedExchange {
  readonly messages: readonly ExchangeMessage[]
  /** The judged answer. */
  readonly response: ExchangeMessage
  /** Tools of the request; null for none. */
  readonly tools: readonly unknown[] | null
  /** The model that answered; null when unknown. */
  readonly model: string | null
}
