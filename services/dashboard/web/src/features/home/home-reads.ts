/** What the home page asks for, so that it is read early with the same input. */
export const homeReads = {
  criteria: { query: { limit: 100 } },
  aliases: { query: { limit: 100 } },
  evals: { query: { status: 'DONE', limit: 1 } },
} as const
