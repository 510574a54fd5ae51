export interface Charge {
  readonly chargedNano: bigint
  /** The rest of the real cost, which nobody pays. */
  readonly writeOffNano: bigint
}

/** What an open request is charged: never more than its hold. */
export function chargeOpen({ costNano, holdNano }: { costNano: bigint; holdNano: bigint }): Charge {
  return upTo(holdNano, costNano)
}

/**
 * What a voided request is charged in all when its settle comes late. Its hold is gone, so beyond
 * what it already paid there is only what is free in the wallet now.
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
