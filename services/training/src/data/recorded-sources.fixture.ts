import { uuidOf } from '@ratchet/contracts/public-id'
import type { SourceReader } from './source-reader.ts'

export interface RecordedSources {
  readonly sources: SourceReader
  /** @param data an error: reading it fails */
  addData(datasetId: string, data: Buffer | Error): void
}

/** Datasets in memory, by their UUID. One that was not added is empty. */
export function recordedSources(): RecordedSources {
  const added = new Map<string, Buffer | Error>()
  function contentOf(id: string): Buffer {
    const found = added.get(uuidOf('dataset', id) ?? '') ?? Buffer.alloc(0)
    if (found instanceof Error) throw found
    return found
  }
  return {
    sources: {
      async facts(_identity, { id }) {
        return { uuid: uuidOf('dataset', id) ?? '', bytes: contentOf(id).length, sha256: null, siblingId: null }
      },
      content: async (_identity, { id }) => contentOf(id),
    },
    addData: (datasetId, data) => void added.set(datasetId, data),
  }
}
