/** How long a message is tried, hours from when it was first to be sent or replayed. */
export const deliveryHours = 24
/** The wait after the first attempt, and the longest one, seconds; it doubles in between. */
export const deliveryDelays = { first: 10, longest: 3_600 } as const
/** How long events and what became of them are kept, days. */
export const keptDays = 30
/** Attempts that are kept of a delivery: the last ones. */
export const maxAttempts = 50
