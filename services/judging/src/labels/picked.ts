/** The sampling method of grades that people picked, or of which no sampling was stated. */
export const pickedMethod = 'picked'

/**
 * The sampling method of answers that the gate of an alias drew. The draw is a part of the scored answers of each arm and
 * verdict, and its probability grows with every draw: right within them, and no share of the traffic of a judge.
 */
export const gateMethod = 'gate'

/** How a grade was chosen when that is not known. */
export const picked = { method: pickedMethod, probability: null, stratum: null }
