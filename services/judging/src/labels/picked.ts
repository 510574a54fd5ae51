/** The sampling method of grades that people picked, or of which no sampling was stated. */
export const pickedMethod = 'picked'

/** How a grade was chosen when that is not known. */
export const picked = { method: pickedMethod, probability: null, stratum: null }
