/** Why an answer fails, with a digit each. */
export const reasons = ['wrong fact', 'ignored the question', 'made something up', 'unsafe', 'format'] as const
