/** Limits of `scanJson` for the JSON of a client. */
export const requestLimits = { maxDepth: 64, maxKeys: 50_000, maxValues: 500_000, maxEscapedKeys: 1_000 } as const
