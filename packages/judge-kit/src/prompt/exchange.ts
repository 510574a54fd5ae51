/** A message as it was sent or answered; of its members only `role` is sure to be there. */
export type ExchangeMessage = { readonly role: string } & Readonly<Record<string, unknown>>

/** An exchange with what a judge sees of it. */
export interface JudgedExchange {
  readonly messages: readonly ExchangeMessage[]
  /** The answer, which is what is judged. */
  readonly response: ExchangeMessage
  /** Tools that were offered; null for none. */
  readonly tools: readonly unknown[] | null
  /** That answered; null where nobody knows. */
  readonly model: string | null
}
