/** What a curation reads at a time. */
export const curationBatch = { maxBytes: 8 * 1024 * 1024, maxItems: 200 }
