export interface Checkout {
  readonly topUpId: string
  /** US cents, ≥ 1. */
  readonly amountCents: number
  readonly returnUrl: string
}

/** A payment that the provider reports as received. */
export interface Payment {
  readonly eventId: string
  /** As the checkout named it. */
  readonly topUpId: string
  readonly checkoutId: string
  readonly paymentId: string
  readonly amountCents: number
  readonly currency: string
}

export interface SignedMessage {
  /** The body as it was sent. */
  readonly payload: string
  readonly signature: string
}

/** A company that takes payments on a page of its own. */
export interface PaymentProvider {
  readonly name: 'stripe'
  /** Opens a payment page; repeated for the same top-up it is the same page. @throws ServiceError `upstream_error` */
  start(checkout: Checkout): Promise<{ readonly checkoutId: string; readonly url: string }>
  /**
   * Checks a message and reads it; null for a message about anything but a received payment.
   *
   * @throws ServiceError `invalid_request` when the signature is not the provider's, or too old
   */
  read(message: SignedMessage): Payment | null
}
