const tokensPerMtok = 1_000_000n
const nanoPerMicro = 1_000n

/**
 * Cost of a job whose last durable checkpoint has trained so many tokens, nano-dollars: a whole number of micro-dollars, rounded
 * up once. Postings are differences of such costs, so that their sum is the cost at the last checkpoint.
 */
export function jobCostNano(trainedTokens: bigint, priceNanoPerMtok: bigint): bigint {
  const divisor = tokensPerMtok * nanoPerMicro
  return ((trainedTokens * priceNanoPerMtok + divisor - 1n) / divisor) * nanoPerMicro
}
