export interface Charge {
  readonly chargedNano: bigint
  /** The part of the real cost that is not charged to anyone. */
  readonly writeOffNano: bigint
}

/** The charge of an open request, at most its hold. */
export function chargeOpen({ costNano, holdNano }: { costNano: bigint; holdNano: bigint }): Charge {
  return upTo(holdNano, costNano)
}

/**
 * The total charge of a voided request whose settle arrives late. Its hold was released, so beyond what it already paid
 * only the free part of the wallet can be charged.
 */
export function chargeLate(request: {
  costNano: bigint
  holdNano: bigint
  paidNano: bigint
  availableNano: bigint
}): Charge {
  return upTo(smaller(request.holdNano, request.paidNano + request.availableNano), request.costNano)
}

function upTo(limitNano: bigint, costNano: bigint): Charge {
  const chargedNano = smaller(costNano, limitNano)
  return { chargedNano, writeOffNano: costNano - chargedNano }
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
