/** Options of a query that is not read again when the window gets the focus, and is forgotten when it is no longer shown. */
export const readOnce = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 } as const
